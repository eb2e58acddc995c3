"""``grapheme info``: settings, curves and gates of a run."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from grapheme.cli.options import RUN

if TYPE_CHECKING:
    from grapheme.training.progress import Progress
    from grapheme.training.run import Settings

SPARKS = "▁▂▃▄▅▆▇█"
SPARKLINE_WIDTH = 60
BAR_WIDTH = 40


@click.command()
@RUN
@click.option(
    "--plot", type=click.Path(path_type=Path, dir_okay=False), help="Draw the curves into FILE (png, pdf or svg)."
)
@click.option(
    "--gates",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Draw how often each operation occurs, before and after simplification, into FILE.",
)
def info(run: Path, plot: Path | None, gates: Path | None) -> None:
    """Show the settings, the curves and the gates of RUN."""
    from grapheme.ca import DiffLogicCA
    from grapheme.errors import InvalidInputError
    from grapheme.training import metrics
    from grapheme.training.run import Run

    opened = Run.open(run)
    rows = metrics.read(opened.metrics)
    model, found = opened.best()
    for name, value in _settings(opened.settings).items():
        click.echo(f"{name:12} {value}")
    mistakes = opened.experiment().mistakes
    click.echo(f"{'best':12} {found.least_errors} {mistakes}, {_made(found)} of attempt {found.attempt + 1}")
    for name in ("soft_loss", "hard_loss", "accuracy"):
        values = [getattr(row, name) for row in rows]
        click.echo(f"{name:12} {sparkline(values)} {values[0]:.4g} to {values[-1]:.4g}")
    for name, text in model.describe().items():
        click.echo(f"{name:12} {text}")
    circuit = model.harden() if isinstance(model, DiffLogicCA) else None
    if circuit is not None:
        click.echo(
            f"{'gates':12} {len(circuit.codes)}, of which {circuit.active_gates()} do not just pass an input through"
        )
        for name, count in circuit.histogram().items():
            click.echo(f"  {name:12} {count:6d} {'#' * round(BAR_WIDTH * count / len(circuit.codes))}")
    if plot is not None:
        from grapheme.cli import figures

        figures.save(plot, figures.curves(rows, opened.settings.experiment))
        click.echo(f"Wrote {plot}")
    if gates is not None and circuit is None:
        raise InvalidInputError(f"{run} holds no circuit, so there are no gates to draw.")
    if gates is not None and circuit is not None:
        from grapheme.cli import figures

        small = circuit.simplify()
        click.echo(f"{'simplified':12} {small.netlist.gates} gates, {small.channels} of {circuit.channels} channels")
        figures.save(gates, figures.histogram(circuit, small, opened.settings.experiment))
        click.echo(f"Wrote {gates}")


def _settings(settings: Settings) -> dict[str, object]:
    """Return the settings as they are shown, an experiment's own options among them."""
    shown = {name: value for name, value in vars(settings).items() if name != "options"}
    return {**shown, **settings.options}


def sparkline(values: Sequence[float]) -> str:
    """Return a curve in one line of text, each mark the mean of a stretch of ``values``."""
    count = min(SPARKLINE_WIDTH, len(values))
    edges = [round(i * len(values) / count) for i in range(count + 1)]
    means = [sum(values[a:b]) / (b - a) for a, b in itertools.pairwise(edges)]
    low, high = min(means), max(means)
    scale = (len(SPARKS) - 1) / (high - low) if high > low else 0.0
    return "".join(SPARKS[round((mean - low) * scale)] for mean in means)


def _made(best: Progress) -> str:
    """Return what made a checkpoint: a step, in the middle of which it was saved, or evolution after the last."""
    return f"after {best.rounds} rounds of evolution" if best.rounds else f"at step {best.step + 1}"
