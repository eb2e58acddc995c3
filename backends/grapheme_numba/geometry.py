"""Where the neighbours of a cell are, and how the cells of a batch are cut into blocks."""

from __future__ import annotations

import functools
import math

import numpy as np

from grapheme.arrays import Ints
from grapheme.kernels.cell import Boundary

PARTS_PER_SAMPLE = 64
"""A large grid is cut into about so many parts: enough for any machine, few enough to keep their sums."""


@functools.lru_cache(maxsize=64)
def neighbours(height: int, width: int, boundary: Boundary) -> Ints:
    """Return the index ``(9, height * width)`` of each cell's neighbours, -1 where there is none."""
    rows, columns = np.divmod(np.arange(height * width), width)
    table = np.empty((9, height * width), np.int32)
    for p in range(9):
        y, x = rows + p // 3 - 1, columns + p % 3 - 1
        inside = (y >= 0) & (y < height) & (x >= 0) & (x < width)
        table[p] = np.where(inside | (boundary == "periodic"), (y % height) * width + x % width, -1)
    return table


def blocks_per_part(cells: int, lanes: int) -> int:
    """Return how many blocks one partial sum covers: a function of a sample's size, not of threads or batch."""
    return max(1, cells // (PARTS_PER_SAMPLE * lanes))


def samples_per_cut(cells: int, lanes: int) -> int:
    """Return after how many samples a part ends exactly where a sample ends."""
    part = blocks_per_part(cells, lanes) * lanes
    return part // math.gcd(part, cells)
