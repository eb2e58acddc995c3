"""Damage to learn from: squares of zeros in grids that a circuit has brought to rest, for it to mend soon."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from grapheme.arrays import Bits


@dataclass(frozen=True, kw_only=True)
class Damage:
    """How grids are damaged, once the task is solved, and how often.

    What an automaton learns from random bits is to make a pattern, not to keep it: where cells go dark, the zeros are
    handed on as if they said something. From damage it learns that they do not.
    """

    side: int
    """Cells along the side of the grids: more than the experiment's own, for damage to have somewhere to spread to."""
    square: int
    """Cells along the side of what goes dark; some of it may lie outside the grid."""
    rounds: int
    """How many squares go dark, one after another."""
    pause: int
    """Steps between two of them."""
    steps: int
    """How long a circuit has to mend it after the last."""
    candidates: int
    """Grids that are damaged for each batch, of which those with the most errors are learnt from."""
    times: int
    """Damaged batches in an epoch, after the one that is not."""
    lr: float
    """The learning rate, with which training starts again from what solved the task."""


def squares(rng: np.random.Generator, samples: int, side: int, height: int, width: int) -> Bits:
    """Return which cells (samples, height, width) go dark: a square in each grid, anywhere that touches the grid."""
    top, left = rng.integers(1 - side, height, samples), rng.integers(1 - side, width, samples)
    rows, columns = np.arange(height)[:, None], np.arange(width)
    within = [
        (rows >= y) & (rows < y + side) & (columns >= x) & (columns < x + side) for y, x in zip(top, left, strict=True)
    ]
    return np.array(within, np.bool_)
