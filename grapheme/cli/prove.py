"""``grapheme prove``: whether the target is reached from every start."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import click

from grapheme.cli.options import RUN, BackendCommand, Size, kernel_options, load_backend

if TYPE_CHECKING:
    from grapheme.ca.prove import Verdict

MISSED, UNDECIDED = 1, 3
"""Exit codes: there is a counter-example; neither a proof nor a counter-example was found."""


@click.command("prove", cls=BackendCommand)
@RUN
@click.option("--steps", type=click.IntRange(min=1), help="After how many steps; the experiment's own if not given.")
@click.option("--grid", type=Size(), help="Height and width of the grid; the experiment's own if not given.")
@click.option("--experiment", "name", help="What the circuit was to learn; what RUN says if not given.")
@click.option("--json", "as_json", is_flag=True, help="Print the outcome, and a counter-example's bits, as JSON.")
@kernel_options
def prove_command(
    run: Path, steps: int | None, grid: tuple[int, int] | None, name: str | None, as_json: bool,
    backend: str, threads: int | None,
) -> None:  # fmt: skip
    """Show that RUN reaches its target from every start, all cells stepping together, or find a start that does not.

    The grid is simulated with every bit unknown. What is known after the last step holds for all starts. If that leaves
    bits open, python-sat decides where it is installed. For a rule such as Life all neighbourhoods are tried.

    \b
    grapheme prove runs/checkerboard-0 --steps 20
    """
    from grapheme.ca.prove import prove, prove_rule
    from grapheme.cli.circuits import circuit_experiment
    from grapheme.experiments.evaluate import CircuitTests
    from grapheme.rng import generator

    chosen = load_backend(backend, threads)
    opened, task = circuit_experiment(run, name)
    evaluation = CircuitTests(opened.circuit, task, chosen)
    if evaluation.follows_rule:
        verdict, wanted = prove_rule(opened.circuit, task.target, chosen), "every neighbourhood steps as the rule says"
    else:
        height, width = grid or (task.height, task.width)
        count = steps or task.steps
        start = task.start(generator(0, "display"), 1, task.channels, height, width)
        target = evaluation.in_phase(start, count)
        verdict = prove(opened.circuit, target, count, chosen)
        wanted = f"{height}x{width} cells reach the target of {task.name} in {count} steps from every start"
    _show(verdict, wanted, as_json)


def _show(verdict: Verdict, wanted: str, as_json: bool) -> None:
    example = verdict.counter_example
    if as_json:
        found = None if example is None else example.astype(int).tolist()
        click.echo(
            json.dumps({"proved": verdict.proved, "how": verdict.how, "unknown": verdict.unknown, "start": found})
        )
    elif verdict.proved:
        click.echo(f"Proved by {verdict.how}: {wanted}.")
    elif example is None:
        click.echo(
            f"Undecided: {verdict.how} leaves {verdict.unknown} visible bits open. "
            "Try more steps, or install a solver with: pip install python-sat"
        )
    else:
        click.echo(f"Not so, by {verdict.how}: it is false that {wanted}. From this start it fails:")
        for channel, rows in enumerate(example):
            click.echo(f"channel {channel}")
            for row in rows:
                click.echo("".join("#" if cell else "." for cell in row))
    if not verdict.proved:
        raise SystemExit(UNDECIDED if verdict.proved is None else MISSED)
