"""Directed acyclic graphs: levels, and passes that go through them level by level.

Inside a level every node gathers for itself, in a fixed order of its arcs, so nothing depends on the number of threads.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit, prange

from grapheme.arrays import Bits, Floats, Ints
from grapheme.kernels.csr import Offsets

SMALL = 2048
"""A level with fewer nodes is done by one thread: to wake the others takes longer."""


def topological_levels(indptr: Offsets, indices: Ints) -> Ints:
    """Take nodes away in the order of their levels."""
    levels: Ints = _levels(indptr, indices)
    return levels


def dag_forward(
    levels: tuple[Offsets, Ints], incoming: tuple[Offsets, Ints, Offsets], weights: Floats, inputs: Floats, slope: float
) -> Floats:
    """Pass values up, level by level."""
    values = inputs.copy()
    _forward(*levels, *incoming, weights, values, weights.dtype.type(slope))
    return values


def dag_grad(
    levels: tuple[Offsets, Ints],
    outgoing: tuple[Offsets, Ints],
    weights: Floats,
    values: Floats,
    grad: Floats,
    inner: Bits,
    slope: float,
) -> tuple[Floats, Floats]:
    """Pass gradients down, level by level."""
    below, sums, grad_weights = grad.copy(), np.zeros_like(values), np.zeros_like(weights)
    _backward(*levels, *outgoing, weights, values, below, sums, grad_weights, inner, weights.dtype.type(slope))
    return below, grad_weights


@njit(cache=True)
def _levels(indptr: Any, indices: Any) -> Any:
    """Kahn's algorithm: a queue of the nodes whose arcs in have all been seen; the last of these sets the level."""
    n = indptr.shape[0] - 1
    waiting = np.zeros(n, np.int32)
    for v in indices:
        waiting[v] += 1
    levels, queue = np.full(n, -1, np.int32), np.empty(n, np.int32)
    end = 0
    for v in range(n):
        if waiting[v] == 0:
            levels[v] = 0
            queue[end] = v
            end += 1
    begin = 0
    while begin < end:
        v = queue[begin]
        begin += 1
        for arc in range(indptr[v], indptr[v + 1]):
            w = indices[arc]
            waiting[w] -= 1
            if waiting[w] == 0:
                # The queue is in the order of the levels, so v is on the highest of those that lead to w.
                levels[w] = levels[v] + 1
                queue[end] = w
                end += 1
    return levels


@njit(cache=True, parallel=True)
def _forward(
    offsets: Any, nodes: Any, starts: Any, sources: Any, rows: Any, weights: Any, values: Any, slope: Any
) -> None:
    for level in range(offsets.shape[0] - 1):
        first, last = offsets[level], offsets[level + 1]
        if last - first < SMALL:
            for i in range(first, last):
                _gather(i, nodes, starts, sources, rows, weights, values, slope)
        else:
            for i in prange(first, last):
                _gather(i, nodes, starts, sources, rows, weights, values, slope)


@njit(cache=True)
def _gather(i: int, nodes: Any, starts: Any, sources: Any, rows: Any, weights: Any, values: Any, slope: Any) -> None:
    """Set the value of node i of the order to LeakyReLU of the weighted sum over its arcs in, if there are any."""
    node, first, last = nodes[i], starts[i], starts[i + 1]
    if first == last:
        return
    for f in range(values.shape[1]):
        total = values.dtype.type(0)
        for arc in range(first, last):
            total += weights[rows[arc]] * values[sources[arc], f]
        values[node, f] = total if total > 0 else slope * total


@njit(cache=True, parallel=True)
def _backward(
    offsets: Any, nodes: Any, indptr: Any, indices: Any, weights: Any, values: Any, below: Any, sums: Any,
    grad_weights: Any, inner: Any, slope: Any,
) -> None:  # fmt: skip
    for step in range(offsets.shape[0] - 1):
        level = offsets.shape[0] - 2 - step
        first, last = offsets[level], offsets[level + 1]
        if last - first < SMALL:
            for i in range(first, last):
                _pull(nodes[i], indptr, indices, weights, values, below, sums, grad_weights, inner, slope)
        else:
            for i in prange(first, last):
                _pull(nodes[i], indptr, indices, weights, values, below, sums, grad_weights, inner, slope)


@njit(cache=True)
def _pull(
    node: int,
    indptr: Any,
    indices: Any,
    weights: Any,
    values: Any,
    below: Any,
    sums: Any,
    grad_weights: Any,
    inner: Any,
    slope: Any,
) -> None:
    """Collect a node's gradient from ``sums``, the gradients of the weighted sums that its arcs lead to."""
    first, last = indptr[node], indptr[node + 1]
    for f in range(values.shape[1]):
        total, value = below[node, f], values[node, f]
        for arc in range(first, last):
            above = sums[indices[arc], f]
            grad_weights[arc] += above * value
            total += weights[arc] * above
        if inner[node]:
            sums[node, f] = total if value > 0 else slope * total
            total = values.dtype.type(0)
        below[node, f] = total
