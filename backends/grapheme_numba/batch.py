"""Roll-outs through time: a compiled pass over all cells for each step."""

from __future__ import annotations

import numpy as np
from numba import get_num_threads, parallel_chunksize

from grapheme.arrays import Bits, Floats
from grapheme.kernels.cell import Boundary
from grapheme.kernels.netlist import Netlist
from grapheme.kernels.trial import Circuits, Trial
from grapheme_numba import contest, hard, rows, soft
from grapheme_numba.geometry import blocks_per_part, neighbours, samples_per_cut
from grapheme_numba.registers import allocate
from grapheme_numba.shards import on_each_shard
from grapheme_numba.vectors import LANES, WORDS
from grapheme_numba.workspace import kept

NARROW = 32
"""A row of fewer cells leaves most of a word empty; the stream of all cells does not."""


def rollout(
    netlist: Netlist, coefficients: Floats, grids: Floats, steps: int, boundary: Boundary, fire: Bits | None
) -> Floats:
    """Return the states of ``steps`` soft steps."""
    states = np.empty((steps + 1, *grids.shape), grids.dtype)
    states[0] = grids
    on_each_shard(
        len(grids),
        granularity(*grids.shape[2:]),
        lambda shard: _advance(netlist, coefficients, states[:, shard], boundary, _part(fire, shard)),
    )
    return states


def _advance(netlist: Netlist, coefficients: Floats, states: Floats, boundary: Boundary, fire: Bits | None) -> None:
    """Fill the states of some samples from the first on."""
    steps, (batch, channels, height, width) = len(states) - 1, states.shape[1:]
    registers = allocate(netlist)
    near = neighbours(height, width, boundary)
    work = kept("values", (get_num_threads(), registers.rows, LANES), states.dtype)
    blocks = blocks_per_part(height * width, LANES)
    flat = [state.reshape(batch, channels, height * width) for state in states]
    for t in range(steps):
        soft.forward(
            flat[t],
            flat[t + 1],
            _fired(fire, t),
            near,
            registers.forward,
            registers.outputs,
            coefficients,
            work,
            blocks,
        )


def rollout_grad(
    netlist: Netlist,
    coefficients: Floats,
    states: Floats,
    grad_states: Floats,
    boundary: Boundary,
    fire: Bits | None,
) -> tuple[Floats, Floats]:
    """Pull the gradient of the last states back to the start, recomputing the gates of each block on the way."""
    results = on_each_shard(
        states.shape[1],
        granularity(*states.shape[3:]),
        lambda shard: _retreat(
            netlist, coefficients, states[:, shard], grad_states[:, shard], boundary, _part(fire, shard)
        ),
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
    steps, (batch, channels, height, width) = len(states) - 1, states.shape[1:]
    dtype, registers = states.dtype, allocate(netlist)
    near = neighbours(height, width, boundary)
    values = kept("recomputed", (get_num_threads(), registers.value_rows, LANES), dtype)
    grads = kept("grads", (get_num_threads(), registers.grad_rows, LANES), dtype)  # soft.backward leaves zeros
    blocks = blocks_per_part(height * width, LANES)
    parts = -(-batch * height * width // (blocks * LANES))
    sums = np.zeros((parts, *coefficients.shape), dtype)
    input_grads = np.empty((netlist.inputs, parts * blocks * LANES), dtype)
    shape = (batch, channels, height * width)
    direct = [grad.reshape(shape) for grad in grad_states]
    grad, buffers = direct[-1], np.empty((2, *shape), dtype)
    for t in reversed(range(steps)):
        fired = _fired(fire, t)
        soft.backward(
            states[t].reshape(shape), grad, fired, near, registers.recompute, registers.backward, registers.seeds,
            coefficients, values, grads, blocks, input_grads, sums,
        )  # fmt: skip
        own = len(direct) - 1 - (steps - t)
        below = buffers[t % 2]
        soft.collect(input_grads, grad, fired, near, direct[own] if own >= 0 else direct[0][:0], below)
        grad = below
    return grad.reshape(states.shape[1:]), sums


def hard_rollout(
    netlist: Netlist, codes: np.ndarray, bits: Bits, steps: int, boundary: Boundary, fire: Bits | None
) -> Bits:
    """Return the grids of bits after ``steps`` hard steps."""
    batch, channels, height, width = bits.shape
    cells = batch * height * width
    if width >= NARROW and _worth_compiling(len(allocate(netlist).live), cells * steps):
        return rows.rollout(netlist, codes, bits, steps, boundary, fire)
    registers, moves = allocate(netlist), hard.shifts(batch, height, width, boundary)
    polynomials = hard.MASKS[codes]
    streams = hard.pack(bits.swapaxes(0, 1).reshape(channels, cells), moves.guard)
    fired = np.empty((steps, 0), np.uint64) if fire is None else hard.pack(fire.reshape(steps, cells), 0)
    work = kept("words", (get_num_threads(), registers.rows, WORDS), np.dtype(np.uint64))
    new = np.zeros_like(streams)
    for t in range(steps):
        hard.forward(
            streams, new, moves.guard, fired[t], moves.which, moves.bits, moves.masks,
            registers.forward, registers.outputs, polynomials, work,
        )  # fmt: skip
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
    """Return how many values each circuit gets wrong in a trial."""
    words = contest.packed(trial)
    with parallel_chunksize(1):  # some circuits are stopped early, so threads take the next one when they are done
        return contest.errors(
            circuits.codes, circuits.a, circuits.b, circuits.outputs,
            words.start, words.moves.guard, words.fire, words.dark, words.wanted, words.counted,
            words.moves.which, words.moves.bits, words.masks, hard.MASKS, trial.steps, trial.first, most,
        )  # fmt: skip


def granularity(height: int, width: int) -> int:
    """Return after how many samples a part ends where a sample ends."""
    return samples_per_cut(height * width, LANES)


def _part(fire: Bits | None, shard: slice) -> Bits | None:
    return None if fire is None else fire[:, shard]


def _fired(fire: Bits | None, t: int) -> Bits:
    """Return the mask ``(batch, cells)`` of a step; empty if every cell fires."""
    return np.empty((0, 0), np.bool_) if fire is None else fire[t].reshape(fire.shape[1], -1)
