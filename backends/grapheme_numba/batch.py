"""Roll-outs through time: a compiled pass over all cells for each step."""

from __future__ import annotations

import numpy as np

from grapheme.arrays import Bits, Floats
from grapheme.kernels.cell import Boundary
from grapheme.kernels.netlist import Netlist
from grapheme.kernels.trial import Circuits, Trial
from grapheme_numba import contest, hard, rows, schedule, soft
from grapheme_numba.geometry import blocks_per_part, neighbours, samples_per_cut
from grapheme_numba.registers import allocate
from grapheme_numba.vectors import LANES, WORDS
from grapheme_numba.workspace import kept

NARROW = 32
"""A row of fewer cells leaves most of a word empty; the stream of all cells does not."""

GATE, GATE_GRAD, HARD_GATE, CELL = 4.0, 12.0, 2.0, 6.0
"""Nanoseconds, measured roughly, of a gate on a block forwards, backwards and on bits; of collecting a cell's gradient.

They decide only how many threads a step is worth.
"""


def rollout(
    netlist: Netlist, coefficients: Floats, grids: Floats, steps: int, boundary: Boundary, fire: Bits | None
) -> Floats:
    """Return the states of ``steps`` soft steps."""
    states = np.empty((steps + 1, *grids.shape), grids.dtype)
    states[0] = grids
    schedule.run(
        lambda shard: _advance(netlist, coefficients, states[:, shard], boundary, _part(fire, shard)),
        schedule.shards(len(grids), granularity(*grids.shape[2:])),
    )
    return states


def _advance(netlist: Netlist, coefficients: Floats, states: Floats, boundary: Boundary, fire: Bits | None) -> None:
    """Fill the states of some samples from the first on."""
    registers, flat, near = allocate(netlist), _flat(states), neighbours(*states.shape[3:], boundary)
    blocks, parts = _cut(states)
    pieces = schedule.pieces(parts, blocks * len(registers.live) * GATE)
    work = kept("values", (pieces, registers.rows, LANES), states.dtype)
    for t in range(len(states) - 1):
        cells = soft.Cells(flat[t], _fired(fire, t), near, blocks, parts)
        soft.forward(cells, registers.forward, coefficients, work, flat[t + 1], pieces)


def rollout_grad(
    netlist: Netlist,
    coefficients: Floats,
    states: Floats,
    grad_states: Floats,
    boundary: Boundary,
    fire: Bits | None,
) -> tuple[Floats, Floats]:
    """Pull the gradient of the last states back to the start, recomputing the gates of each block on the way."""
    results = schedule.run(
        lambda shard: _retreat(
            netlist, coefficients, states[:, shard], grad_states[:, shard], boundary, _part(fire, shard)
        ),
        schedule.shards(states.shape[1], granularity(*states.shape[3:])),
    )
    if len(results) == 1:
        return results[0]
    return np.concatenate([grad for grad, _ in results]), np.concatenate([sums for _, sums in results])


def _retreat(
    netlist: Netlist,
    coefficients: Floats,
    states: Floats,
    grad_states: Floats,
    boundary: Boundary,
    fire: Bits | None,
) -> tuple[Floats, Floats]:
    """Pull the gradient of some samples back to their start."""
    registers, flat, direct = allocate(netlist), _flat(states), _flat(grad_states)
    near = neighbours(*states.shape[3:], boundary)
    blocks, parts = _cut(states)
    pieces = schedule.pieces(parts, blocks * len(registers.live) * GATE_GRAD)
    values = kept("recomputed", (pieces, registers.value_rows, LANES), states.dtype)
    grads = kept("grads", (pieces, registers.grad_rows, LANES), states.dtype)  # soft.backward leaves zeros
    sums = np.zeros((parts, *coefficients.shape), states.dtype)
    pulled = soft.Pulled(np.empty((netlist.inputs, parts * blocks * LANES), states.dtype), sums)
    batch, channels, size = flat[0].shape
    rows_pieces = schedule.pieces(batch * channels, size * CELL)
    grad, buffers = direct[-1], np.empty((2, *flat[0].shape), states.dtype)
    for t in reversed(range(len(states) - 1)):
        cells = soft.Cells(flat[t], _fired(fire, t), near, blocks, parts)
        soft.backward(cells, registers.backward, coefficients, grad, values, grads, pulled, pieces)
        at = t + len(direct) - len(states)  # gradients are given of the last states only
        own, below = direct[at] if at >= 0 else direct[0][:0], buffers[t % 2]
        soft.collect(pulled.inputs, cells, grad, own, below, rows_pieces)
        grad = below
    return grad.reshape(states.shape[1:]), sums


def _flat(states: Floats) -> list[Floats]:
    """Return each of the states (n, batch, channel, height, width) as (batch, channel, cells)."""
    return [state.reshape(*state.shape[:2], -1) for state in states]


def _cut(states: Floats) -> tuple[int, int]:
    """Return how many blocks a part has, and how many parts these states have."""
    _, batch, _, height, width = states.shape
    blocks = blocks_per_part(height * width, LANES)
    return blocks, -(-batch * height * width // (blocks * LANES))


def hard_rollout(
    netlist: Netlist, codes: np.ndarray, bits: Bits, steps: int, boundary: Boundary, fire: Bits | None
) -> Bits:
    """Return the grids of bits after ``steps`` hard steps."""
    batch, channels, height, width = bits.shape
    cells, registers = batch * height * width, allocate(netlist)
    if width >= NARROW and _worth_compiling(len(registers.live), cells * steps):
        return rows.rollout(netlist, codes, bits, steps, boundary, fire)
    moves = hard.shifts(batch, height, width, boundary)
    polynomials = hard.MASKS[codes]
    streams = hard.pack(bits.swapaxes(0, 1).reshape(channels, cells), moves.guard)
    fired = np.empty((steps, 0), np.uint64) if fire is None else hard.pack(fire.reshape(steps, cells), 0)
    new = np.zeros_like(streams)
    pieces = schedule.pieces(moves.masks.shape[1] // WORDS, len(registers.live) * HARD_GATE)
    work = kept("words", (pieces, registers.rows, WORDS), np.dtype(np.uint64))
    for t in range(steps):
        hard.forward(streams, new, fired[t], moves, registers.forward, polynomials, work, pieces)
        streams, new = new, streams
    return np.ascontiguousarray(
        hard.unpack(streams, moves.guard, cells).reshape(channels, batch, height, width).swapaxes(0, 1)
    )


def _worth_compiling(gates: int, cell_steps: int) -> bool:
    """Say whether machine code of its own saves a circuit more time than it takes to make.

    Measured: making takes about 20 ms and 0.1 ms a gate, passing over the gates 1 ns for 60 gates and some for the
    neighbours of a cell.
    """
    return (gates + 100) * cell_steps > 10**9 * (1 + gates / 100)


def hard_errors(circuits: Circuits, trial: Trial, most: np.ndarray) -> np.ndarray:
    """Return how many values each circuit gets wrong in a trial; threads take them in turns, for some stop early."""
    words, wrong = contest.packed(trial), np.empty(len(circuits), np.int64)
    population = contest.Population(circuits.codes, circuits.a, circuits.b, circuits.outputs)
    contest.errors(population, words, hard.MASKS, most, wrong, schedule.decks(len(circuits)))
    return wrong


def granularity(height: int, width: int) -> int:
    """Return after how many samples a part ends where a sample ends."""
    return samples_per_cut(height * width, LANES)


def _part(fire: Bits | None, shard: slice) -> Bits | None:
    return None if fire is None else fire[:, shard]


def _fired(fire: Bits | None, t: int) -> Bits:
    """Return the mask ``(batch, cells)`` of a step; empty if every cell fires."""
    return np.empty((0, 0), np.bool_) if fire is None else fire[t].reshape(fire.shape[1], -1)
