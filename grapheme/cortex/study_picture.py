"""The picture of a study: who does how well, what is lost by zeroing a brain, and the sweep."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from matplotlib.figure import Figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from grapheme.cortex.study import Scores


def draw(path: Path, models: dict[str, Scores], zeroed: dict[str, Scores], sweep: list[dict[str, float]]) -> None:
    """Draw the study into a file."""
    figure = Figure(figsize=(13, 3.8), layout="constrained")
    axes = figure.subplots(1, 3, width_ratios=(3, 2.2, 2.4))
    _bars(axes[0], models)
    _matrix(axes[1], {"nothing": models["cortex"], **zeroed})
    _sweep(axes[2], sweep)
    figure.savefig(path, dpi=110)


def _bars(axis: Axes, models: dict[str, Scores]) -> None:
    domains = list(models["cortex"].right)
    places, width = np.arange(len(models)), 0.8 / len(domains)
    for i, domain in enumerate(domains):
        shares = [scores.right[domain] for scores in models.values()]
        axis.bar(places + (i - 1) * width, shares, width, label=domain)
    axis.set_xticks(places, [name.replace(" ", "\n") for name in models])
    axis.set(ylim=(0, 1), ylabel="right on held-out samples", title="fused, alone, and one as large")
    axis.legend(loc="upper center", fontsize=8)


def _matrix(axis: Axes, rows: dict[str, Scores]) -> None:
    domains = list(rows["nothing"].right)
    shares = np.array([[scores.right[domain] for domain in domains] for scores in rows.values()])
    axis.imshow(shares, vmin=0, vmax=1, cmap="viridis", aspect="auto")
    axis.set_xticks(range(len(domains)), domains)
    axis.set_yticks(range(len(rows)), list(rows))
    axis.set(xlabel="domain", ylabel="brain that is zeroed", title="right on held-out samples")
    for (row, column), share in np.ndenumerate(shares):
        colour = "white" if share < 0.6 else "black"
        axis.text(column, row, f"{share:.2f}", ha="center", va="center", color=colour)


def _sweep(axis: Axes, sweep: list[dict[str, float]]) -> None:
    names = {"right": "right answers", "apart": "views of brains apart", "differ": "views of samples differ"}
    places = range(len(sweep))
    for name, label in names.items():
        axis.plot(places, [row[name] for row in sweep], marker="o", label=label)
    axis.set_xticks(places, [f"{row['weight']:g}" for row in sweep])
    axis.set(xlabel="weight of collaboration", ylim=(0, None), title="no collapse")
    axis.legend(fontsize=8)
