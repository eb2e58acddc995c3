"""Figures of the command line: the curves of a run and the gates of its circuit."""

from __future__ import annotations

import io
from collections.abc import Sequence
from pathlib import Path

from matplotlib.figure import Figure

from grapheme.ca import HardCircuit
from grapheme.errors import InvalidInputError
from grapheme.files import write_whole
from grapheme.training.metrics import Row


def curves(rows: Sequence[Row], title: str) -> Figure:
    """Draw the losses over the steps of all attempts, one after another."""
    figure = Figure(figsize=(8, 5), layout="constrained")
    losses, accuracy = figure.subplots(2, 1, sharex=True, height_ratios=(2, 1))
    losses.plot([row.hard_loss for row in rows], color="#e76f51", linewidth=0.8, label="hard loss")
    losses.plot([row.soft_loss for row in rows], color="#264653", linewidth=0.8, label="soft loss")
    losses.set_yscale("symlog", linthresh=1e-3)
    losses.set_title(title)
    losses.legend(frameon=False)
    accuracy.plot([row.accuracy for row in rows], color="#2a9d8f", linewidth=0.8)
    accuracy.set(xlabel="step", ylabel="accuracy", ylim=(-0.02, 1.02))
    return figure


def histogram(circuit: HardCircuit, small: HardCircuit, title: str) -> Figure:
    """Draw how many gates have each operation, as learnt and after simplification."""
    figure = Figure(figsize=(9, 5), layout="constrained")
    axes = figure.subplots(1, 2, sharey=True)
    for axis, shown, colour, name in zip(
        axes, (circuit, small), ("#264653", "#2a9d8f"), ("as learnt", "simplified"), strict=True
    ):
        counts = shown.histogram()
        bars = axis.barh(list(counts), list(counts.values()), color=colour)
        axis.bar_label(bars, padding=3, fontsize=8)
        axis.set_title(f"{title}, {name}: {len(shown.codes)} gates", fontsize=10)
        axis.margins(x=0.15)
        axis.spines[["top", "right"]].set_visible(False)
    axes[0].invert_yaxis()
    return figure


def save(path: Path, figure: Figure) -> None:
    """Write a figure in the format of the file's suffix."""
    buffer = io.BytesIO()
    try:
        figure.savefig(buffer, format=path.suffix.removeprefix(".") or "png", dpi=120)
    except ValueError as error:
        raise InvalidInputError(f"Cannot draw a '{path.suffix}' file; use .png, .pdf or .svg.") from error
    write_whole(path, buffer.getvalue())
