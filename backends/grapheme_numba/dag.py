"""Directed acyclic graphs: levels, and passes that go through them level by level.

Every node gathers for itself, in a fixed order of its arcs, so nothing depends on the number of threads.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import njit

from grapheme.arrays import Bits, Floats, Ints
from grapheme.kernels.csr import Offsets
from grapheme_numba import schedule

SMALL = 2048
"""A level with fewer nodes is done by one thread: to wake the others takes longer."""

NODE = 2 * schedule.WORTH / SMALL
"""Nanoseconds of a node, so that a level of SMALL nodes is worth two threads."""


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
    for run in _runs(offsets):
        schedule.run(lambda stretch: _forward(arcs, values, weights.dtype.type(slope), *stretch), run)
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
    for run in reversed(_runs(offsets)):
        schedule.run(lambda stretch: _backward(arcs, values, grads, weights.dtype.type(slope), *stretch), run)
    return grads.below, grads.weights


def _runs(offsets: Offsets) -> list[list[schedule.Stretch]]:
    """Cut the order of nodes into runs, to be done one after another, of stretches that may be done side by side.

    A large level is a run, and threads share it; all levels between two of these are another, which one thread takes.
    """
    runs, begin = [], int(offsets[0])
    large = np.flatnonzero(np.diff(offsets) >= SMALL) if schedule.threads() > 1 else offsets[:0]
    for first, last in zip(offsets[large].tolist(), offsets[large + 1].tolist(), strict=True):
        runs.append([schedule.Stretch(begin, first)])
        shares = schedule.stretches(last - first, NODE)
        runs.append([schedule.Stretch(first + share.first, first + share.last) for share in shares])
        begin = last
    runs.append([schedule.Stretch(begin, int(offsets[-1]))])
    return runs


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


@njit(cache=True, nogil=True)
def _forward(arcs: Incoming, values: Any, slope: Any, first: int, last: int) -> None:
    """Set the values of nodes ``first`` to ``last - 1`` of the order to LeakyReLU of the weighted sum over arcs in.

    Invariant: where arcs come from has its value already, for it is on a level before. Nodes without arcs in keep what
    they have.
    """
    sources, rows, weights = arcs.sources, arcs.rows, arcs.weights
    for i in range(first, last):
        node, begin, end = arcs.nodes[i], arcs.starts[i], arcs.starts[i + 1]
        if begin == end:
            continue
        for f in range(values.shape[1]):
            total = values.dtype.type(0)
            for arc in range(begin, end):
                total += weights[rows[arc]] * values[sources[arc], f]
            values[node, f] = total if total > 0 else slope * total


@njit(cache=True, nogil=True)
def _backward(arcs: Outgoing, values: Any, grads: Gradients, slope: Any, first: int, last: int) -> None:
    """Collect the gradients of nodes ``last - 1`` down to ``first`` of the order from those that their arcs lead to.

    Invariant: ``grads.sums`` of whatever an arc leads to is complete, for that is on a later level.
    """
    indices, weights = arcs.indices, arcs.weights
    for i in range(last - 1, first - 1, -1):
        node = arcs.nodes[i]
        for f in range(values.shape[1]):
            total, value = grads.below[node, f], values[node, f]
            for arc in range(arcs.indptr[node], arcs.indptr[node + 1]):
                above = grads.sums[indices[arc], f]
                grads.weights[arc] += above * value
                total += weights[arc] * above
            if arcs.inner[node]:
                grads.sums[node, f] = total if value > 0 else slope * total
                total = values.dtype.type(0)
            grads.below[node, f] = total
