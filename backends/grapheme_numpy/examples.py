"""Batches taken apart: each example alone, and what each gave put together again."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from grapheme.arrays import Floats
from grapheme.kernels.graph_arrays import GROUP


def each(count: int) -> np.ndarray:
    """Return the choice (count, 1) of every example alone, as ``take`` wants it."""
    return np.arange(count)[:, None]


def in_groups(grads: Sequence[Floats]) -> Floats:
    """Return the gradient (parameters,) of each example, added up for each ``GROUP`` of them: (groups, parameters)."""
    sums = [np.sum(grads[first : first + GROUP], axis=0) for first in range(0, len(grads), GROUP)]
    return np.stack(sums)
