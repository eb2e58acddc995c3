"""A picture of how each test of an evaluation ended, mistakes in another colour."""

from __future__ import annotations

import io
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

from grapheme.ca.pictures import OFF, ON
from grapheme.experiments.evaluate import Measure
from grapheme.files import write_whole

MISTAKE = (231, 111, 81)
COLUMNS = 4


def save(path: Path, measures: Sequence[Measure], title: str) -> None:
    """Write a PNG with a panel for each test."""
    rows = -(-len(measures) // COLUMNS)
    figure = Figure(figsize=(3 * COLUMNS, 3.4 * rows), layout="constrained")
    axes = figure.subplots(rows, COLUMNS, squeeze=False)
    figure.suptitle(title)
    for axis in axes.flat:
        axis.axis("off")
    for axis, measure in zip(axes.flat, measures, strict=False):
        colours = np.where(measure.picture[..., None], np.array(ON), np.array(OFF))
        axis.imshow(np.where(measure.mistakes[..., None], np.array(MISTAKE), colours), interpolation="nearest")
        score = measure.note if measure.score is None else f"{measure.score:.4f} right"
        axis.set_title(f"{measure.test}\n{measure.side}x{measure.side}, {measure.steps} steps: {score}", fontsize=9)
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png", dpi=110)
    write_whole(path, buffer.getvalue())
