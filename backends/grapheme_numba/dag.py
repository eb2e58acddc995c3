"""Directed acyclic graphs: levels, and passes that go through them level by level.

Every node gathers for itself, in a fixed order of its arcs, so nothing depends on the number of threads.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import njit, prange

from grapheme.arrays import Bits, Floats, Ints
from grapheme.kernels.csr import Offsets
from grapheme_numba import schedule

SMALL = 2048
"""A level with fewer nodes is done by one thread: to wake the others takes longer."""


class Incoming(NamedTuple):
    """The arcs that enter each node of an order."""

    nodes: Any
    """(n,): the nodes in the order of their levels."""
    starts: Any
    """(n + 1,): the arcs into each, counted along the order."""
    sources: Any
    """(arcs,): the node that each comes from."""
    rows: Any
    """(arcs,): its row among the weights."""
    weights: Any


class Outgoing(NamedTuple):
    """The arcs that leave each node."""

    nodes: Any
    """(n,): the nodes in the order of their levels."""
    indptr: Any
    """(nodes + 1,)"""
    indices: Any
    """(arcs,): the node that each leads to."""
    weights: Any
    inner: Any
    """(nodes,) bool: which nodes have arcs in, and so a weighted sum."""


class Gradients(NamedTuple):
    """What a pass down fills."""

    below: Any
    """(nodes, features): at first the gradient of the values, at last that of the inputs."""
    sums: Any
    """(nodes, features): of the weighted sums."""
    weights: Any
    """(arcs,)"""


def topological_levels(indptr: Offsets, indices: Ints) -> Ints:
    """Take nodes away in the order of their levels."""
    levels: Ints = _levels(indptr, indices)
    return levels


def dag_forward(
    levels: tuple[Offsets, Ints], incoming: tuple[Offsets, Ints, Offsets], weights: Floats, inputs: Floats, slope: float
) -> Floats:
    """Pass values up, level by level."""
    (offsets, nodes), values = levels, inputs.copy()
    arcs = Incoming(nodes, *incoming, weights)
    _forward(offsets, arcs, values, weights.dtype.type(slope), _pieces(offsets))
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
    offsets, nodes = levels
    arcs = Outgoing(nodes, *outgoing, weights, inner)
    grads = Gradients(grad.copy(), np.zeros_like(values), np.zeros_like(weights))
    _backward(offsets, arcs, values, grads, weights.dtype.type(slope), _pieces(offsets))
    return grads.below, grads.weights


def _pieces(offsets: Offsets) -> int:
    """Return into how many pieces a large level is cut; one, if there is none."""
    count = schedule.threads()
    return count if count > 1 and np.diff(offsets).max(initial=0) >= SMALL else 1


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


@schedule.shared
def _forward(offsets: Any, arcs: Incoming, values: Any, slope: Any, pieces: int) -> None:
    """Pass values up.

    Invariant: where arcs come from has its value already, for it is on a level before.
    """
    for level in range(offsets.shape[0] - 1):
        first, last = offsets[level], offsets[level + 1]
        if last - first < SMALL:
            for i in range(first, last):
                _gather(i, arcs, values, slope)
        else:
            for i in prange(first, last):
                _gather(i, arcs, values, slope)


@njit(cache=True)
def _gather(i: int, arcs: Incoming, values: Any, slope: Any) -> None:
    """Set the value of node i of the order to LeakyReLU of the weighted sum over its arcs in, if there are any."""
    node, first, last = arcs.nodes[i], arcs.starts[i], arcs.starts[i + 1]
    if first == last:
        return
    for f in range(values.shape[1]):
        total = values.dtype.type(0)
        for arc in range(first, last):
            total += arcs.weights[arcs.rows[arc]] * values[arcs.sources[arc], f]
        values[node, f] = total if total > 0 else slope * total


@schedule.shared
def _backward(offsets: Any, arcs: Outgoing, values: Any, grads: Gradients, slope: Any, pieces: int) -> None:
    """Pass gradients down.

    Invariant: ``grads.sums`` of whatever an arc leads to is complete, for that is on a later level.
    """
    for step in range(offsets.shape[0] - 1):
        level = offsets.shape[0] - 2 - step
        first, last = offsets[level], offsets[level + 1]
        if last - first < SMALL:
            for i in range(first, last):
                _pull(arcs.nodes[i], arcs, values, grads, slope)
        else:
            for i in prange(first, last):
                _pull(arcs.nodes[i], arcs, values, grads, slope)


@njit(cache=True)
def _pull(node: int, arcs: Outgoing, values: Any, grads: Gradients, slope: Any) -> None:
    """Collect a node's gradient from ``grads.sums``, those of the weighted sums that its arcs lead to."""
    first, last = arcs.indptr[node], arcs.indptr[node + 1]
    for f in range(values.shape[1]):
        total, value = grads.below[node, f], values[node, f]
        for arc in range(first, last):
            above = grads.sums[arcs.indices[arc], f]
            grads.weights[arc] += above * value
            total += arcs.weights[arc] * above
        if arcs.inner[node]:
            grads.sums[node, f] = total if value > 0 else slope * total
            total = values.dtype.type(0)
        grads.below[node, f] = total
