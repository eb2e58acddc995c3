"""Which edits a network may choose from: slots for new nodes, and the pairs of nodes that an edge may join."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np

from grapheme.arrays import Bits, Ints
from grapheme.kernels.graph_arrays import EditArrays
from grapheme.transform.coding import CodedGraph

HOPS = 5
"""Distances up to this are told apart, and all above are taken as this one."""
SHARED = 3
"""Numbers of shared neighbours up to this are told apart."""


@final
@dataclass(frozen=True)
class EditSpace:
    """The bounds of all edits, which hold for every graph that a network sees."""

    directed: bool
    kinds: int
    """How many labels edges have."""
    slots: int
    """How many nodes may be inserted after one."""
    radius: int
    """Two nodes may be joined if they, or the nodes they are inserted after, are at most so many hops apart."""
    loops: bool
    """Whether a node may be joined to itself."""

    @property
    def rows(self) -> int:
        """How many features pairs have in all."""
        return 2 * sum(self._sizes()) + (self.slots + 1) ** 2

    def edits(self, source: CodedGraph, kept: Bits, anchors: Ints, slots: Ints) -> EditArrays:
        """Return the edits of one graph, given which nodes (nodes,) stay and where others are inserted."""
        pairs = self._pairs(source, kept, anchors)
        ends = np.concatenate([np.arange(source.nodes), anchors])
        place = np.concatenate([np.zeros(source.nodes, np.int64), 1 + slots])
        return EditArrays(
            np.array([0, source.nodes], np.int64),
            source.labels,
            np.array([0, len(anchors)], np.int64),
            anchors.astype(np.int32),
            slots.astype(np.int32),
            np.array([0, len(pairs)], np.int64),
            pairs.astype(np.int32),
            self._features(source, ends[pairs], place[pairs]),
        )

    def every_slot(self, nodes: int) -> tuple[Ints, Ints]:
        """Return anchors and slots of all nodes that may be inserted at all."""
        places = np.arange(nodes * self.slots, dtype=np.int32)
        return (places // self.slots, places % self.slots) if self.slots else (places, places)

    def _pairs(self, source: CodedGraph, kept: Bits, anchors: Ints) -> np.ndarray:
        ends = np.concatenate([np.flatnonzero(kept), np.arange(source.nodes, source.nodes + len(anchors))])
        near = np.concatenate([np.flatnonzero(kept), anchors])
        allowed = source.hops(self.radius)[np.ix_(near, near)] <= self.radius
        if not self.directed:
            allowed = np.triu(allowed)
        if not self.loops:
            np.fill_diagonal(allowed, False)
        return ends[np.argwhere(allowed)]

    def _sizes(self) -> tuple[int, ...]:
        """Return how many values each feature has: edges each way, hops, shared neighbours, ways over one node."""
        kinds = 1 + self.kinds
        return (kinds, kinds if self.directed else 0, HOPS + 1, SHARED + 1, *((kinds,) * 4 if self.directed else ()))

    def _features(self, source: CodedGraph, ends: np.ndarray, place: np.ndarray) -> Ints:
        """Return rows (pairs, features), other ones where a node of the pair is yet to be inserted."""
        if not len(ends):
            return np.zeros((0, 1 + sum(size > 0 for size in self._sizes())), np.int32)
        a, b = ends[:, 0], ends[:, 1]
        hops = source.hops(HOPS if source.nodes <= MANY else self.radius)
        columns = [_kind_matrix(source)[a, b], np.minimum(hops[a, b], HOPS), _shared(source)[a, b]]
        if self.directed:
            over = _over_one(source)
            columns.insert(1, _kind_matrix(source)[b, a])
            columns += [over[0][a, b], over[1][a, b], over[0][b, a], over[1][b, a]]
        sizes = [size for size in self._sizes() if size]
        starts = np.cumsum([0, *sizes[:-1]])
        new = (place > 0).any(axis=1, keepdims=True) * sum(sizes)
        rows = np.stack(columns, axis=1).astype(np.int64) + starts + new
        sides = place if self.directed else np.sort(place, axis=1)
        slots = 2 * sum(sizes) + sides[:, 0] * (self.slots + 1) + sides[:, 1]
        return np.concatenate([rows, slots[:, None]], axis=1).astype(np.int32)


MANY = 256
"""In graphs with more nodes, hops are counted only as far as edges may reach."""


def _kind_matrix(source: CodedGraph) -> np.ndarray:
    """Return 1 more than the kind (nodes, nodes) of the edge from one to the other, 0 where there is none."""
    matrix = np.zeros((source.nodes, source.nodes), np.int16)
    matrix[source.edges[:, 0], source.edges[:, 1]] = 1 + source.kinds
    if not source.directed:
        matrix[source.edges[:, 1], source.edges[:, 0]] = 1 + source.kinds
    return matrix


def _shared(source: CodedGraph) -> np.ndarray:
    """Return how many neighbours (nodes, nodes) two nodes share, up to ``SHARED``."""
    near = np.zeros((source.nodes, source.nodes), np.float32)
    near[source.edges[:, 0], source.edges[:, 1]] = 1
    near = np.maximum(near, near.T)
    np.fill_diagonal(near, 0)
    shared: np.ndarray = np.minimum(near @ near, SHARED).astype(np.int16)
    return shared


def _over_one(source: CodedGraph) -> tuple[np.ndarray, np.ndarray]:
    """Return 1 more than the kinds of the first and of the second edge of a way over one node; of several the least."""
    first = np.zeros((source.nodes, source.nodes), np.int16)
    second = np.zeros_like(first)
    leaving: list[list[tuple[int, int]]] = [[] for _ in range(source.nodes)]
    for (a, b), kind in source.joined.items():
        leaving[a].append((b, 1 + kind))
    for (a, middle), kind in source.joined.items():
        for b, other in leaving[middle]:
            if not first[a, b] or (1 + kind, other) < (first[a, b], second[a, b]):
                first[a, b], second[a, b] = 1 + kind, other
    return first, second
