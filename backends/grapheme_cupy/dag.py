"""Passes through a directed acyclic graph, level by level; narrow levels in a row are one launch of one block."""

from __future__ import annotations

from collections.abc import Iterator

import cupy
import numpy as np

from grapheme.arrays import Array
from grapheme_cupy.geometry import LANES
from grapheme_cupy.launch import BLOCK_OF_THREADS, blocks_of_threads
from grapheme_cupy.sources import kernel

NARROW = 4096
"""Values of a level that one block still computes by itself."""

MOST_THREADS = 1024
"""A thread block holds no more."""


def dag_forward(
    levels: tuple[Array, Array], incoming: tuple[Array, Array, Array], weights: Array, inputs: Array, slope: float
) -> Array:
    """Pass values up, level by level."""
    values, features = inputs.copy(), inputs.shape[1]
    forward = kernel("dag.cu", "dag_forward", inputs.dtype)
    for first, last, grid, block in _launches(levels[0], features):
        forward(
            grid, block,
            (*levels, *incoming, weights, weights.dtype.type(slope), np.int32(features), first, last, values),
        )  # fmt: skip
    return values


def dag_grad(
    levels: tuple[Array, Array],
    outgoing: tuple[Array, Array],
    weights: Array,
    values: Array,
    grad: Array,
    inner: Array,
    slope: float,
) -> tuple[Array, Array]:
    """Pass gradients down, level by level, and then work out those of the weights, each by itself."""
    nodes, features = values.shape
    below, sums, grad_weights = grad.copy(), cupy.empty(values.shape, values.dtype), cupy.zeros_like(weights)
    pull = kernel("dag.cu", "dag_grad", values.dtype)
    for first, last, grid, block in reversed([*_launches(levels[0], features)]):
        pull(
            grid, block,
            (*levels, *outgoing, weights, values, inner, weights.dtype.type(slope), np.int32(features),
             first, last, below, sums),
        )  # fmt: skip
    if weights.shape[0]:
        kernel("dag.cu", "dag_weights", values.dtype)(
            (blocks_of_threads(weights.shape[0]),), BLOCK_OF_THREADS,
            (*outgoing, values, sums, np.int32(nodes), np.int32(features), grad_weights),
        )  # fmt: skip
    return below, grad_weights


def _launches(offsets: Array, features: int) -> Iterator[tuple[np.int32, np.int32, tuple[int], tuple[int]]]:
    """Yield the levels of each launch, first and past the last, upwards, with its grid and its block."""
    values = np.diff(cupy.asnumpy(offsets)) * features
    wide = np.flatnonzero(values > NARROW)
    first = 0
    for level in (*wide.tolist(), len(values)):
        if first < level:
            widest = int(values[first:level].max())
            yield np.int32(first), np.int32(level), (1,), (min(MOST_THREADS, -(-widest // LANES) * LANES),)
        if level < len(values):
            yield np.int32(level), np.int32(level + 1), (blocks_of_threads(int(values[level])),), BLOCK_OF_THREADS
        first = level + 1
