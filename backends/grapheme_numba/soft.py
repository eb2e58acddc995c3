"""The compiled passes over soft grids, forwards and backwards.

The cells of all samples, in order, are cut into blocks of LANES cells, and these into parts of a few blocks. A part is
the unit of work of a thread and of a partial sum.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import get_thread_id, njit, prange

from grapheme_numba.vectors import LANES, gate, gate_grad


@njit(cache=True)
def _load(values: Any, grids: Any, neighbours: Any, start: int) -> None:
    """Fill a block's input rows with the neighbourhoods of cells ``start ..``; 0 outside the grid and past the end."""
    batch, channels, cells = grids.shape
    flat = grids.reshape(-1)
    origin = np.empty(LANES, np.int64)
    for p in range(9):
        for lane in range(LANES):
            cell = start + lane
            sample = cell // cells
            neighbour = neighbours[p, cell - sample * cells]
            inside = neighbour >= 0 and sample < batch
            origin[lane] = sample * channels * cells + neighbour if inside else -1
        for channel in range(channels):
            row = values[p * channels + channel]
            shift = channel * cells
            for lane in range(LANES):
                row[lane] = flat[origin[lane] + shift] if origin[lane] >= 0 else 0


@njit(cache=True)
def _store(values: Any, outputs: Any, old: Any, new: Any, fire: Any, start: int) -> None:
    """Write a block's outputs to ``new``; cells that do not fire keep what they have in ``old``."""
    batch, channels, cells = new.shape
    for lane in range(min(LANES, batch * cells - start)):
        sample = (start + lane) // cells
        cell = start + lane - sample * cells
        fires = fire.size == 0 or fire[sample, cell]
        for channel in range(channels):
            new[sample, channel, cell] = values[outputs[channel], lane] if fires else old[sample, channel, cell]


@njit(cache=True, parallel=True, nogil=True)
def forward(
    grids: Any,
    new: Any,
    fire: Any,
    neighbours: Any,
    wires: Any,
    outputs: Any,
    coefficients: Any,
    work: Any,
    blocks: int,
) -> None:
    """One step of all cells: ``grids`` to ``new``, both ``(batch, channel, cells)``; a part is ``blocks`` blocks."""
    cells = grids.shape[0] * grids.shape[2]
    parts = -(-cells // (blocks * LANES))
    for part in prange(parts):
        values = work[get_thread_id()]
        for block in range(part * blocks, (part + 1) * blocks):
            if block * LANES < cells:
                _load(values, grids, neighbours, block * LANES)
                for g in range(wires.shape[0]):
                    gate(values, wires[g, 0], wires[g, 1], wires[g, 2], coefficients, wires[g, 3])
                _store(values, outputs, grids, new, fire, block * LANES)


@njit(cache=True)
def _seed(grads: Any, seeds: Any, grad: Any, fire: Any, start: int) -> None:
    """Start a block's backward pass: output rows at the gradient of the cells that fired, all else 0 as it is."""
    batch, channels, cells = grad.shape
    for lane in range(min(LANES, batch * cells - start)):
        sample = (start + lane) // cells
        cell = start + lane - sample * cells
        if fire.size == 0 or fire[sample, cell]:
            for channel in range(channels):
                grads[seeds[channel], lane] += grad[sample, channel, cell]


@njit(cache=True, parallel=True, nogil=True)
def backward(
    grids: Any, grad: Any, fire: Any, neighbours: Any, wires: Any, back: Any, seeds: Any, coefficients: Any,
    value_work: Any, grad_work: Any, blocks: int, input_grads: Any, sums: Any,
) -> None:  # fmt: skip
    """Recompute the gates of each block and pull ``grad`` back to the inputs.

    Fills ``input_grads (9 * channel, cells rounded up to blocks)`` and adds to ``sums (parts, parameters, 4)``.
    ``grad_work`` is all zeros before and after.
    """
    cells = grids.shape[0] * grids.shape[2]
    inputs = input_grads.shape[0]
    for part in prange(sums.shape[0]):
        values, grads = value_work[get_thread_id()], grad_work[get_thread_id()]
        for block in range(part * blocks, (part + 1) * blocks):
            start = block * LANES
            if start < cells:
                _load(values, grids, neighbours, start)
                for g in range(wires.shape[0]):
                    gate(values, wires[g, 0], wires[g, 1], wires[g, 2], coefficients, wires[g, 3])
                _seed(grads, seeds, grad, fire, start)
                for g in range(wires.shape[0] - 1, -1, -1):
                    gate_grad(
                        values, wires[g, 0], wires[g, 1], coefficients, wires[g, 3],
                        grads, back[g, 0], back[g, 1], back[g, 2], sums[part],
                    )  # fmt: skip
                for i in range(inputs):
                    for lane in range(LANES):
                        input_grads[i, start + lane] = grads[i, lane]
                        grads[i, lane] = 0


@njit(cache=True, parallel=True, nogil=True)
def collect(input_grads: Any, grad: Any, fire: Any, neighbours: Any, direct: Any, below: Any) -> None:
    """Add the gradients of the inputs up where their values came from, into ``below (batch, channel, cells)``.

    Cell q is neighbour p of the cell that is neighbour 8-p of q. What did not fire passes ``grad`` on;
    ``direct`` (empty if there is none) is the loss's own gradient of these grids.
    """
    batch, channels, cells = below.shape
    for row in prange(batch * channels):
        sample, channel = row // channels, row % channels
        total = below[sample, channel]
        for cell in range(cells):
            total[cell] = direct[sample, channel, cell] if direct.size else 0
            if fire.size and not fire[sample, cell]:
                total[cell] += grad[sample, channel, cell]
        for p in range(9):
            source = input_grads[p * channels + channel]
            for cell in range(cells):
                reader = neighbours[8 - p, cell]
                if reader >= 0:
                    total[cell] += source[sample * cells + reader]
