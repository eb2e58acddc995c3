"""``grapheme info``: settings, curves and gates of a run."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from grapheme.cli.options import RUN

if TYPE_CHECKING:
    from grapheme.training.metrics import Row

SPARKS = "▁▂▃▄▅▆▇█"
SPARKLINE_WIDTH = 60
BAR_WIDTH = 40


@click.command()
@RUN
@click.option(
    "--plot", type=click.Path(path_type=Path, dir_okay=False), help="Draw the curves into FILE (png, pdf or svg)."
)
def info(run: Path, plot: Path | None) -> None:
    """Show the settings, the curves and the gates of RUN."""
    from grapheme.ca import DiffLogicCA
    from grapheme.training import metrics
    from grapheme.training.run import Run

    opened = Run.open(run)
    rows = metrics.read(opened.metrics)
    model, found = opened.best()
    for name, value in vars(opened.settings).items():
        click.echo(f"{name:12} {value}")
    click.echo(
        f"{'best':12} {found.least_errors} wrong bits, at epoch {found.epoch + 1} of attempt {found.attempt + 1}"
    )
    for name in ("soft_loss", "hard_loss", "accuracy"):
        values = [getattr(row, name) for row in rows]
        click.echo(f"{name:12} {sparkline(values)} {values[0]:.4g} to {values[-1]:.4g}")
    assert isinstance(model, DiffLogicCA)
    circuit = model.harden()
    click.echo(
        f"{'gates':12} {len(circuit.codes)}, of which {circuit.active_gates()} do not just pass an input through"
    )
    for name, count in circuit.histogram().items():
        click.echo(f"  {name:12} {count:6d} {'#' * round(BAR_WIDTH * count / len(circuit.codes))}")
    if plot is not None:
        _plot(plot, rows, opened.settings.experiment)
        click.echo(f"Wrote {plot}")


def sparkline(values: Sequence[float]) -> str:
    """Return a curve in one line of text, each mark the mean of a stretch of ``values``."""
    count = min(SPARKLINE_WIDTH, len(values))
    edges = [round(i * len(values) / count) for i in range(count + 1)]
    means = [sum(values[a:b]) / (b - a) for a, b in itertools.pairwise(edges)]
    low, high = min(means), max(means)
    scale = (len(SPARKS) - 1) / (high - low) if high > low else 0.0
    return "".join(SPARKS[round((mean - low) * scale)] for mean in means)


def _plot(path: Path, rows: Sequence[Row], title: str) -> None:
    """Draw the losses over the epochs of all attempts, one after another."""
    import io

    import matplotlib as mpl

    from grapheme.errors import InvalidInputError
    from grapheme.training.files import write_whole

    mpl.use("Agg")
    from matplotlib import pyplot as plt

    figure, (losses, accuracy) = plt.subplots(
        2, 1, sharex=True, figsize=(8, 5), height_ratios=(2, 1), layout="constrained"
    )
    losses.plot([row.hard_loss for row in rows], color="#e76f51", linewidth=0.8, label="hard loss")
    losses.plot([row.soft_loss for row in rows], color="#264653", linewidth=0.8, label="soft loss")
    losses.set_yscale("symlog", linthresh=1e-3)
    losses.set_title(title)
    losses.legend(frameon=False)
    accuracy.plot([row.accuracy for row in rows], color="#2a9d8f", linewidth=0.8)
    accuracy.set(xlabel="epoch", ylabel="accuracy", ylim=(-0.02, 1.02))
    buffer = io.BytesIO()
    try:
        figure.savefig(buffer, format=path.suffix.removeprefix(".") or "png", dpi=120)
    except ValueError as error:
        raise InvalidInputError(f"Cannot draw a '{path.suffix}' file; use .png, .pdf or .svg.") from error
    plt.close(figure)
    write_whole(path, buffer.getvalue())
