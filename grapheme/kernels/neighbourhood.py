"""The 3x3 neighbourhood of a cell: the inputs of its circuit, as nine shifted copies of the grid."""

from __future__ import annotations

import numpy as np

from grapheme.kernels.cell import Boundary

OFFSETS = [(dy, dx) for dy in (-1, 0, 1) for dx in (-1, 0, 1)]
"""Where neighbour 0..8 of a cell is, row by row."""


def neighbourhoods(grids: np.ndarray, boundary: Boundary) -> np.ndarray:
    """Return the inputs ``(9 * channel, batch, height, width)``: for each neighbour, row by row, every channel."""
    height, width = grids.shape[2:]
    padded = np.pad(grids, ((0, 0), (0, 0), (1, 1), (1, 1)), mode="wrap" if boundary == "periodic" else "constant")
    shifted = [padded[:, :, 1 + dy : 1 + dy + height, 1 + dx : 1 + dx + width] for dy, dx in OFFSETS]
    return np.concatenate([s.swapaxes(0, 1) for s in shifted])
