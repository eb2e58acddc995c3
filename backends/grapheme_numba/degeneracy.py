"""Core numbers, and the orientation of a graph by an order of its nodes."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from grapheme.arrays import Ints
from grapheme.kernels.csr import Offsets


def core_numbers(indptr: Offsets, indices: Ints) -> Ints:
    """Peel the graph, nodes of the smallest degree first."""
    cores: Ints = _peel(indptr, indices)
    return cores


def orient(indptr: Offsets, indices: Ints, order: Ints) -> tuple[Offsets, Ints]:
    """Keep the arcs to later nodes of ``order``, renumbered by it."""
    later: tuple[Offsets, Ints] = _orient(indptr, indices, order)
    return later


@njit(cache=True)
def _peel(indptr: Any, indices: Any) -> Any:
    """Batagelj and Zaversnik: nodes sorted by the degree that is left, ``first[d]`` where those of degree d begin."""
    n = indptr.shape[0] - 1
    degree = np.empty(n, np.int32)
    for v in range(n):
        degree[v] = indptr[v + 1] - indptr[v]
    first = np.zeros(n + 2, np.int64)
    for v in range(n):
        first[degree[v] + 1] += 1
    first = np.cumsum(first)
    at, nodes, fill = np.empty(n, np.int64), np.empty(n, np.int32), first.copy()
    for v in range(n):
        at[v] = fill[degree[v]]
        nodes[at[v]] = v
        fill[degree[v]] += 1
    for i in range(n):
        v = nodes[i]
        for arc in range(indptr[v], indptr[v + 1]):
            w = indices[arc]
            if degree[w] > degree[v]:
                # w moves to the front of the nodes of its degree, which then begin one later.
                front = first[degree[w]]
                x = nodes[front]
                nodes[front], nodes[at[w]] = w, x
                at[x], at[w] = at[w], front
                first[degree[w]] += 1
                degree[w] -= 1
    return degree


@njit(cache=True)
def _orient(indptr: Any, indices: Any, order: Any) -> Any:
    """Visit the targets in order, so that every row fills in ascending order."""
    n = order.shape[0]
    rank = np.full(indptr.shape[0] - 1, -1, np.int32)
    for r in range(n):
        rank[order[r]] = r
    starts = np.zeros(n + 1, np.int64)
    for r in range(n):
        for arc in range(indptr[order[r]], indptr[order[r] + 1]):
            starts[r + 1] += rank[indices[arc]] > r
    starts = np.cumsum(starts)
    fill = starts.copy()
    later = np.empty(starts[n], np.int32)
    for r in range(n):
        for arc in range(indptr[order[r]], indptr[order[r] + 1]):
            q = rank[indices[arc]]
            if 0 <= q < r:
                later[fill[q]] = r
                fill[q] += 1
    return starts, later
