"""The compiled passes over soft grids, forwards and backwards.

The cells of all samples, in order, are cut into blocks of LANES cells, and these into parts of a few blocks. A part is
the unit of work of a thread and of a partial sum.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import njit, prange

from grapheme_numba.registers import OUT, PARAM, A, B, Backward, Forward
from grapheme_numba.schedule import bounds, shared
from grapheme_numba.vectors import LANES, gate, gate_grad


class Cells(NamedTuple):
    """The cells of all samples before a step, and how they are cut."""

    grids: Any
    """(batch, channel, cells)"""
    fire: Any
    """(batch, cells) bool: which cells update; (0, 0) if all do."""
    neighbours: Any
    """(9, cells): where the neighbours of a cell are, -1 where there is none."""
    blocks: int
    """How many blocks a part has."""
    parts: int
    """How many parts there are."""


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


@njit(cache=True)
def _gates(values: Any, wires: Any, coefficients: Any) -> None:
    """Compute all gates of a block, in order."""
    for g in range(wires.shape[0]):
        gate(values, wires[g, A], wires[g, B], wires[g, OUT], coefficients, wires[g, PARAM])


@njit(cache=True)
def _gates_grad(values: Any, grads: Any, rows: Backward, coefficients: Any, sums: Any) -> None:
    """Pull the gradients of a block back through all gates, the last first; add those of parameters to ``sums``.

    Invariant: the row of a gate's output holds its whole gradient when its turn comes, for all readers come later in
    the order; afterwards it holds zeros, so that another node can have it.
    """
    wires, back, _ = rows
    for g in range(wires.shape[0] - 1, -1, -1):
        gate_grad(
            values, wires[g, A], wires[g, B], coefficients, wires[g, PARAM],
            grads, back[g, A], back[g, B], back[g, OUT], sums,
        )  # fmt: skip


@shared
def forward(cells: Cells, rows: Forward, coefficients: Any, work: Any, new: Any, pieces: int) -> None:
    """Take all cells one step, into ``new (batch, channel, cells)``; ``work (pieces, rows, LANES)`` is scratch."""
    for piece in prange(pieces):
        first, last = bounds(piece, pieces, cells.parts)
        _forward(cells, rows, coefficients, work[piece], new, first, last)


@njit(cache=True)
def _forward(cells: Cells, rows: Forward, coefficients: Any, values: Any, new: Any, first: int, last: int) -> None:
    """Take the parts ``first`` to ``last - 1`` a step."""
    count = cells.grids.shape[0] * cells.grids.shape[2]
    for block in range(first * cells.blocks, last * cells.blocks):
        start = block * LANES
        if start < count:  # the last part may have blocks past the end
            _load(values, cells.grids, cells.neighbours, start)
            _gates(values, rows.gates, coefficients)
            _store(values, rows.outputs, cells.grids, new, cells.fire, start)


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


class Pulled(NamedTuple):
    """What a backward pass fills."""

    inputs: Any
    """(9 * channel, cells rounded up to parts): the gradients of all inputs."""
    sums: Any
    """(parts, parameters, 4): those of the coefficients are added."""


@shared
def backward(
    cells: Cells, rows: Backward, coefficients: Any, grad: Any, value_work: Any, grad_work: Any, into: Pulled,
    pieces: int,
) -> None:  # fmt: skip
    """Recompute the gates of each block and pull ``grad (batch, channel, cells)`` back to the inputs.

    ``value_work`` and ``grad_work (pieces, rows, LANES)`` are scratch; the latter is all zeros before and after.
    """
    for piece in prange(pieces):
        first, last = bounds(piece, pieces, cells.parts)
        for part in range(first, last):
            _backward(cells, rows, coefficients, grad, value_work[piece], grad_work[piece], into, part)


@njit(cache=True)
def _backward(
    cells: Cells, rows: Backward, coefficients: Any, grad: Any, values: Any, grads: Any, into: Pulled, part: int
) -> None:
    """Pull the gradient of a part back."""
    count = cells.grids.shape[0] * cells.grids.shape[2]
    for block in range(part * cells.blocks, (part + 1) * cells.blocks):
        start = block * LANES
        if start < count:
            _load(values, cells.grids, cells.neighbours, start)
            _gates(values, rows.recompute, coefficients)
            _seed(grads, rows.seeds, grad, cells.fire, start)
            _gates_grad(values, grads, rows, coefficients, into.sums[part])
            for i in range(into.inputs.shape[0]):
                for lane in range(LANES):
                    into.inputs[i, start + lane] = grads[i, lane]
                    grads[i, lane] = 0


@shared
def collect(input_grads: Any, cells: Cells, grad: Any, direct: Any, below: Any, pieces: int) -> None:
    """Add the gradients of the inputs up where their values came from, into ``below (batch, channel, cells)``.

    ``direct`` (empty if there is none) is the loss's own gradient of these grids.
    """
    for piece in prange(pieces):
        first, last = bounds(piece, pieces, below.shape[0] * below.shape[1])
        _collect(input_grads, cells, grad, direct, below, first, last)


@njit(cache=True)
def _collect(input_grads: Any, cells: Cells, grad: Any, direct: Any, below: Any, first: int, last: int) -> None:
    """Go over some rows of ``below``, a row being a channel of a sample.

    Cell q is neighbour p of the cell that is neighbour 8-p of q. What did not fire passes ``grad`` on.
    """
    channels, size = below.shape[1], below.shape[2]
    fire, neighbours = cells.fire, cells.neighbours
    for row in range(first, last):
        sample, channel = row // channels, row % channels
        total = below[sample, channel]
        for cell in range(size):
            total[cell] = direct[sample, channel, cell] if direct.size else 0
            if fire.size and not fire[sample, cell]:
                total[cell] += grad[sample, channel, cell]
        for p in range(9):
            source = input_grads[p * channels + channel]
            for cell in range(size):
                reader = neighbours[8 - p, cell]
                if reader >= 0:
                    total[cell] += source[sample * size + reader]
