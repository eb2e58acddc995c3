"""``grapheme evaluate``: how a model does where it was never trained."""

from __future__ import annotations

import json
from operator import methodcaller
from pathlib import Path
from typing import TYPE_CHECKING

import click

from grapheme.cli.options import RUN, BackendCommand, kernel_options, load_backend
from grapheme.cli.table import print_table

if TYPE_CHECKING:
    from grapheme.backend import Backend
    from grapheme.models.evaluation import Evaluation


@click.command("evaluate", cls=BackendCommand)
@RUN
@click.option("--experiment", "name", help="What a circuit in a file was to learn; what the file says if not given.")
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
    from grapheme.errors import InvalidInputError

    found = _evaluation(run, name, load_backend(backend, threads), seed)
    if png is not None and found.picture is None:
        raise InvalidInputError("There is no picture of these tests; leave out --png.")
    if png is not None and found.picture is not None:
        found.picture(png)
    if as_json:
        content = {"run": str(run), **found.facts, "tests": [dict(test) for test in found.tests]}
        click.echo(json.dumps(content, indent=2, default=methodcaller("item")))  # numpy's own numbers as Python's
        return
    print_table(found.columns, [[_text(value) for value in row.values()] for row in found.tests])
    if png is not None:
        click.echo(f"Wrote {png}", err=True)


def _evaluation(path: Path, name: str | None, backend: Backend, seed: int) -> Evaluation:
    """Return what the tests of a run, or of a circuit in a file, find."""
    from grapheme.training.run import Run

    if path.is_file():
        from grapheme.cli.circuits import circuit_experiment
        from grapheme.experiments.evaluate import evaluate

        opened, task = circuit_experiment(path, name)
        return evaluate(opened.circuit, task, backend, seed)
    run = Run.open(path)
    if name is not None:
        from grapheme.errors import InvalidInputError

        raise InvalidInputError(f"{path} says itself what it was to learn; leave out --experiment.")
    model, _ = run.best()
    return run.experiment().evaluate(model, backend, seed)


def _text(value: object) -> str:
    if isinstance(value, float):
        return f"{value:.4f}".rstrip("0").rstrip(".") if abs(value) >= 10 else f"{value:.4f}"
    return "" if value is None else str(value)
