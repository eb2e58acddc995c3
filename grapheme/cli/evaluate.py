"""``grapheme evaluate``: how a circuit does where it was never trained."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import click

from grapheme.cli.options import RUN, kernel_options, load_backend
from grapheme.cli.table import print_table

if TYPE_CHECKING:
    from grapheme.experiments.evaluate import Measure


@click.command("evaluate")
@RUN
@click.option("--experiment", "name", help="What the circuit was to learn; what RUN says if not given.")
@click.option("--json", "as_json", is_flag=True, help="Print the table as JSON.")
@click.option("--png", type=click.Path(path_type=Path, dir_okay=False), help="Draw how each test ended into FILE.")
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Decides starts and damage.")
@kernel_options
def evaluate_command(
    run: Path, name: str | None, as_json: bool, png: Path | None, seed: int, backend: str, threads: int | None
) -> None:
    """Test what RUN learnt, or the circuit of an exported JSON file, beyond its training.

    Of a circuit: larger grids, a zone kept at 0, healing, cells firing at random, damage in every step, ten times the
    steps, and the period of what it ends in. A checkerboard counts as right in either phase. Of a network that edits
    graphs: how many graphs come out exactly right of those that it never saw, and of larger ones.

    \b
    grapheme evaluate runs/checkerboard-0 --png checkerboard.png
    grapheme evaluate runs/boolean-0
    """
    from grapheme.cli.circuits import automaton_experiment, open_circuit
    from grapheme.cli.evaluate_edits import edit_run, evaluate_edits
    from grapheme.experiments.evaluate import Evaluation

    edits = edit_run(run)
    if edits is not None:
        evaluate_edits(run, *edits, load_backend(backend, threads), as_json, png)
        return
    opened = open_circuit(run)
    task = automaton_experiment(name or opened.name, run)
    small = opened.circuit.simplify(opened.circuit.layout.visible)
    measures = list(Evaluation(small, task, load_backend(backend, threads), seed).measures())
    if png is not None:
        from grapheme.experiments.evaluation_picture import save

        save(png, measures, f"{task.name}, {small.netlist.gates} gates")
    if as_json:
        facts = {"circuit": str(run), "experiment": task.name, "gates": small.netlist.gates}
        click.echo(json.dumps({**facts, "tests": [_fields(measure) for measure in measures]}, indent=2))
        return
    print_table(("test", "grid", "steps", "right", "wrong cells", "how"), [_row(measure) for measure in measures])
    if png is not None:
        click.echo(f"Wrote {png}", err=True)


def _fields(measure: Measure) -> dict[str, object]:
    return {name: getattr(measure, name) for name in ("test", "side", "steps", "score", "wrong", "note")}


def _row(measure: Measure) -> tuple[str, ...]:
    score = "" if measure.score is None else f"{measure.score:.4f}"
    wrong = "" if measure.wrong is None else f"{measure.wrong:g}"
    return measure.test, f"{measure.side}x{measure.side}", str(measure.steps), score, wrong, measure.note
