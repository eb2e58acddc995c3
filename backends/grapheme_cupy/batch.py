"""Roll-outs through time: a launch for each step, and no trip to the host between them."""

from __future__ import annotations

import functools
from typing import Any

import cupy
import numpy as np

from grapheme.arrays import Array
from grapheme.kernels.cell import Boundary
from grapheme.kernels.gates import masks
from grapheme.kernels.netlist import Netlist
from grapheme_cupy.circuit import on_device
from grapheme_cupy.device import workspaces
from grapheme_cupy.geometry import LANES, cut, samples_per_part, shape_on_device
from grapheme_cupy.sources import kernel

THREADS = 256
"""Threads of a block where each thread works alone."""

WORD = 32
"""Cells in a word of bits."""

MASKS = masks(np.dtype(np.uint32))
"""(16, 4): the polynomial of each operation as masks on words."""

NULL = np.uint64(0)
"""A pointer to nothing; CuPy has no other way to pass one."""


def rollout(
    netlist: Netlist, coefficients: Array, grids: Array, steps: int, boundary: Boundary, fire: Array | None
) -> Array:
    """Return the states of ``steps`` soft steps."""
    circuit, shape = on_device(netlist, grids.device.id), shape_on_device(grids, boundary)
    runs = cut(grids.shape[0], *grids.shape[2:]).runs
    blocks = _blocks(runs, circuit.threads, circuit.rows * grids.dtype.itemsize)
    work = cupy.empty((blocks, circuit.rows, LANES), grids.dtype)
    states = cupy.empty((steps + 1, *grids.shape), grids.dtype)
    states[0] = grids
    step = kernel("soft.cu", "soft_step", grids.dtype)
    for t in range(steps):
        step(
            (blocks,), circuit.threads,
            (shape, circuit.sizes, circuit.forward, circuit.starts, circuit.outputs, coefficients,
             states[t], _at(fire, t), states[t + 1], work),
        )  # fmt: skip
    return states


def rollout_grad(
    netlist: Netlist,
    coefficients: Array,
    states: Array,
    grad_states: Array,
    boundary: Boundary,
    fire: Array | None,
) -> tuple[Array, Array]:
    """Pull the gradient of the last states back to the start, recomputing the gates of each block on the way."""
    steps, grids, dtype = states.shape[0] - 1, states[0], states.dtype
    circuit, shape = on_device(netlist, grids.device.id), shape_on_device(grids, boundary)
    geometry = cut(grids.shape[0], *grids.shape[2:])
    row_bytes = (circuit.value_rows + circuit.grad_rows) * dtype.itemsize
    blocks = _blocks(geometry.runs, circuit.threads, row_bytes)
    values = cupy.empty((blocks, circuit.value_rows, LANES), dtype)
    grads = cupy.empty((blocks, circuit.grad_rows, LANES), dtype)
    input_grads = cupy.empty((netlist.inputs, grids.shape[0], *grids.shape[2:]), dtype)
    sums = cupy.zeros((geometry.runs, circuit.gates, 4), dtype)
    step_grad, collect = kernel("soft.cu", "soft_step_grad", dtype), kernel("soft.cu", "soft_collect", dtype)
    grad, buffers = grad_states[-1], cupy.empty((2, *grids.shape), dtype)
    for t in reversed(range(steps)):
        fired, below = _at(fire, t), buffers[t % 2]
        step_grad(
            (blocks,), circuit.threads,
            (shape, circuit.sizes, circuit.recompute, circuit.starts, circuit.nodes, circuit.readers, coefficients,
             states[t], fired, grad, values, grads, input_grads, sums),
        )  # fmt: skip
        own = grad_states.shape[0] - 1 - (steps - t)
        direct = grad_states[own] if own >= 0 else NULL
        collect((_ceiling(grids.size, THREADS),), (THREADS,), (shape, input_grads, grad, fired, direct, below))
        grad = below
    parts = cupy.empty((geometry.parts, *coefficients.shape), dtype)
    kernel("soft.cu", "soft_merge", dtype)(
        (geometry.parts, _ceiling(coefficients.size, THREADS)), (THREADS,),
        (shape, circuit.sizes, circuit.shares, circuit.sharing, sums, parts),
    )  # fmt: skip
    return grad, parts


def hard_rollout(
    netlist: Netlist, codes: Array, bits: Array, steps: int, boundary: Boundary, fire: Array | None
) -> Array:
    """Return the grids of bits after ``steps`` hard steps."""
    circuit, shape = on_device(netlist, bits.device.id), shape_on_device(bits, boundary)
    batch, _, height, width = bits.shape
    polynomials = _masks(bits.device.id)[codes]
    blocks = _blocks(_ceiling(batch * height * width, LANES * WORD), circuit.threads, circuit.rows * WORD // 8)
    work = cupy.empty((blocks, circuit.rows, LANES), np.uint32)
    buffers = cupy.empty((2, *bits.shape), np.bool_)
    step = kernel("hard.cu", "hard_step")
    for t in range(steps):
        step(
            (blocks,), circuit.threads,
            (shape, circuit.sizes, circuit.forward, circuit.starts, circuit.outputs, polynomials,
             bits, _at(fire, t), buffers[t % 2], work),
        )  # fmt: skip
        bits = buffers[t % 2]
    return bits


def granularity(height: int, width: int) -> int:
    """Return how many samples a part covers."""
    return samples_per_part(height, width)


def _blocks(wanted: int, threads: tuple[int, int], lane_bytes: int) -> int:
    """Return how many thread blocks share ``wanted`` pieces of work; each has a workspace of ``lane_bytes`` a lane."""
    return workspaces(wanted, threads[0] * threads[1], LANES * lane_bytes)


def _ceiling(size: int, each: int) -> int:
    return -(-size // each)


@functools.cache
def _masks(device: int) -> Array:
    return cupy.asarray(MASKS)


def _at(fire: Array | None, t: int) -> Any:
    """Return the mask of a step, or a null pointer if every cell fires."""
    return NULL if fire is None else fire[t]
