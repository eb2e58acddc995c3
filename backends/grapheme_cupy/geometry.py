"""How the cells of a batch are cut into parts, runs and blocks; a function of a sample's size, never of the device."""

from __future__ import annotations

import functools
from dataclasses import dataclass

import cupy
import numpy as np

from grapheme.arrays import Array
from grapheme.kernels.cell import Boundary

LANES = 32
"""Cells in a block. Changing it, or a number below, changes the order of sums, and so the last bits of a gradient."""

PART = 8192
"""About how many cells of small samples one partial sum covers; few parts leave the core few to add."""

RUNS = 256
"""Into how many runs of blocks, at most, a part is cut: enough for any card, few enough to keep their sums."""


@dataclass(frozen=True)
class Geometry:
    """A part is a number of whole samples; its cells are cut into blocks, and these into runs of a few blocks.

    A run is the unit of work of a thread block and of the sums that it keeps for every gate.
    """

    samples_per_part: int
    blocks_per_part: int
    blocks_per_run: int
    runs_per_part: int
    parts: int
    runs: int


@functools.lru_cache(maxsize=64)
def cut(batch: int, height: int, width: int) -> Geometry:
    """Return how a batch is cut; the last part may be short, and only the runs that it needs are counted."""
    cells = height * width
    samples = samples_per_part(height, width)
    blocks = -(-samples * cells // LANES)
    blocks_per_run = -(-blocks // RUNS)
    runs_per_part = -(-blocks // blocks_per_run)
    full, rest = divmod(batch, samples)
    rest_runs = -(-rest * cells // (LANES * blocks_per_run))
    return Geometry(samples, blocks, blocks_per_run, runs_per_part, full + (rest > 0), full * runs_per_part + rest_runs)


def samples_per_part(height: int, width: int) -> int:
    """Return how many samples a part covers."""
    return max(1, PART // (height * width))


def shape_on_device(grids: Array, boundary: Boundary) -> Array:
    """Return the struct ``Shape`` of geometry.cuh for grids ``(batch, channel, height, width)``."""
    return _shape(*grids.shape, boundary, grids.device.id)


@functools.lru_cache(maxsize=64)
def _shape(batch: int, channels: int, height: int, width: int, boundary: Boundary, device: int) -> Array:
    g = cut(batch, height, width)
    sizes = (batch, channels, height, width, int(boundary == "periodic"))
    cuts = (g.samples_per_part, g.blocks_per_part, g.blocks_per_run, g.runs_per_part, g.runs)
    return cupy.asarray(np.array(sizes + cuts, np.int32))
