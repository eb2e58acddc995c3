"""Cliques, directed acyclic graphs and edit distance: the obvious code."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

import numpy as np

from grapheme.arrays import Bits, Floats, Ints
from grapheme.kernels.csr import Offsets
from grapheme_numpy.edits import edit_bounds as edit_bounds
from grapheme_numpy.edits import edit_search as edit_search


def core_numbers(indptr: Offsets, indices: Ints) -> Ints:
    """Remove nodes of the smallest degree until none is left; a node's number is the largest degree seen so far."""
    degree = np.diff(indptr)
    left = set(range(len(degree)))
    cores = np.zeros(len(degree), np.int32)
    core = 0
    while left:
        node = min(left, key=lambda v: degree[v])
        core = max(core, int(degree[node]))
        cores[node] = core
        left.remove(node)
        degree[_row(indptr, indices, node)] -= 1
    return cores


def orient(indptr: Offsets, indices: Ints, order: Ints) -> tuple[Offsets, Ints]:
    """Return for each node of ``order`` those of its neighbours that come later."""
    rank = {int(node): place for place, node in enumerate(order)}
    rows = [
        sorted(rank[w] for w in _row(indptr, indices, node).tolist() if rank.get(w, -1) > place)
        for place, node in enumerate(order)
    ]
    return _csr(rows)


def count_cliques(indptr: Offsets, indices: Ints, k: int, first: int, last: int, cap: int) -> Offsets:
    """Count the cliques of each smallest node by walking through them."""
    counts = [sum(1 for _ in itertools.islice(_cliques(indptr, indices, k, v), cap)) for v in range(first, last)]
    return np.array(counts, np.int64)


def list_cliques(indptr: Offsets, indices: Ints, names: Ints, k: int, first: int, skip: int, wanted: Offsets) -> Ints:
    """List the first cliques of each smallest node."""
    rows: list[list[int]] = []
    for i, count in enumerate(wanted):
        begin = 0 if i else skip
        rows += itertools.islice(_cliques(indptr, indices, k, first + i), begin, begin + count)
    return names[np.array(rows, np.int32).reshape(-1, k)]


def maximal_cliques(indptr: Offsets, indices: Ints, order: Ints, cap: int) -> tuple[Offsets, Ints] | None:
    """Bron and Kerbosch's algorithm without a pivot: extend a clique by each candidate, then exclude that candidate."""
    near = [set(_row(indptr, indices, v).tolist()) for v in range(len(indptr) - 1)]
    found: list[list[int]] = []

    def extend(clique: list[int], candidates: set[int], excluded: set[int]) -> None:
        if not candidates and not excluded and clique:
            found.append(sorted(clique))
        for v in sorted(candidates):
            extend([*clique, v], candidates & near[v], excluded & near[v])
            candidates = candidates - {v}
            excluded = excluded | {v}

    extend([], set(range(len(near))), set())
    return None if sum(map(len, found)) > cap else _csr(found)


def topological_levels(indptr: Offsets, indices: Ints) -> Ints:
    """Take away, level by level, the nodes that no arc enters any more."""
    nodes = len(indptr) - 1
    waiting = np.bincount(indices, minlength=nodes)
    levels = np.full(nodes, -1, np.int32)
    level, ready = 0, np.flatnonzero(waiting == 0)
    while len(ready):
        levels[ready] = level
        for v in ready.tolist():
            waiting[_row(indptr, indices, v)] -= 1
        level, ready = level + 1, np.flatnonzero((waiting == 0) & (levels < 0))
    return levels


def dag_forward(
    levels: tuple[Offsets, Ints], incoming: tuple[Offsets, Ints, Offsets], weights: Floats, inputs: Floats, slope: float
) -> Floats:
    """Walk through the nodes by level and add up what comes in."""
    offsets, sources, rows = incoming
    values = inputs.copy()
    for place, node in enumerate(levels[1]):
        arcs = range(offsets[place], offsets[place + 1])
        if arcs:
            total = np.zeros_like(inputs[0])
            for arc in arcs:
                total += weights[rows[arc]] * values[sources[arc]]
            values[node] = np.where(total > 0, total, weights.dtype.type(slope) * total)
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
    """Walk back through the nodes; a node's gradient is its own and what each arc out of it brings back."""
    indptr, indices = outgoing
    below = grad.copy()
    sums = np.zeros_like(values)
    grad_weights = np.zeros_like(weights)
    for node in levels[1][::-1]:
        for arc in range(indptr[node], indptr[node + 1]):
            grad_weights[arc] = _sum(sums[indices[arc]] * values[node])
            below[node] += weights[arc] * sums[indices[arc]]
        if inner[node]:
            sums[node] = np.where(values[node] > 0, below[node], weights.dtype.type(slope) * below[node])
            below[node] = 0
    return below, grad_weights


def _sum(products: Floats) -> Any:
    """Add up from first to last, as a loop would; numpy's own sum adds in pairs."""
    total = products.dtype.type(0)
    for product in products:
        total += product
    return total


def _row(indptr: Offsets, indices: Ints, node: int) -> Ints:
    return indices[indptr[node] : indptr[node + 1]]


def _cliques(indptr: Offsets, indices: Ints, k: int, smallest: int) -> Iterator[list[int]]:
    """Yield the k-cliques with that smallest node in ascending order."""

    def extend(clique: list[int], candidates: list[int]) -> Iterator[list[int]]:
        if len(clique) == k:
            yield clique
            return
        for v in candidates:
            later = set(_row(indptr, indices, v).tolist())
            yield from extend([*clique, v], [w for w in candidates if w in later])

    yield from extend([smallest], _row(indptr, indices, smallest).tolist())


def _csr(rows: list[list[int]]) -> tuple[Offsets, Ints]:
    offsets = np.cumsum([0, *map(len, rows)])
    return offsets.astype(np.int64), np.array([v for row in rows for v in row], np.int32)
