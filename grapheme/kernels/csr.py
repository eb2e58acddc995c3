"""A graph as flat arrays: the one form in which every graph operation and every backend sees it."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from grapheme.arrays import Ints
from grapheme.errors import InvalidInputError

Labels: TypeAlias = tuple[Hashable, ...]
Offsets: TypeAlias = NDArray[np.int64]

MOST_NODES = 2**31 - 1
"""Nodes are numbered in 32 bits."""


@dataclass(frozen=True, eq=False)
class Csr:
    """Arcs row by row; immutable, so whoever derives something from one may keep it.

    The arcs of node ``v`` lead to ``indices[indptr[v] : indptr[v + 1]]``, ascending, none twice. A directed graph has
    one arc an edge. An undirected graph has two, one in each row, but a loop from a node to itself is one arc.
    ``node_labels`` follow the nodes, ``edge_labels`` the rows of ``edge_list``; None where there are none.
    """

    indptr: Offsets
    indices: Ints
    directed: bool
    node_labels: Labels | None = None
    edge_labels: Labels | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "indptr", _frozen(self.indptr, np.dtype(np.int64)))
        object.__setattr__(self, "indices", _frozen(self.indices, np.dtype(np.int32)))
        self._check_rows()
        if not self.directed:
            self._check_symmetry()
        for name, labels, count in (("node", self.node_labels, self.nodes), ("edge", self.edge_labels, self.edges)):
            if labels is not None and len(labels) != count:
                raise InvalidInputError(f"The graph has {count} {name}s; got {len(labels)} {name} labels.")
            if not labels:
                object.__setattr__(self, f"{name}_labels", None)  # the labels of nothing are no labels

    @property
    def nodes(self) -> int:
        """How many nodes there are."""
        return len(self.indptr) - 1

    @property
    def edges(self) -> int:
        """How many edges there are, a loop being one."""
        return len(self.edge_list)

    @cached_property
    def sources(self) -> Ints:
        """The node (arcs,) that each arc leaves."""
        return _frozen(np.repeat(np.arange(self.nodes), np.diff(self.indptr)), np.dtype(np.int32))

    @cached_property
    def edge_list(self) -> Ints:
        """The edges (edges, 2) in ascending order; those of an undirected graph once, the smaller end first."""
        arcs = np.stack([self.sources, self.indices], axis=1)
        return _frozen(arcs if self.directed else arcs[self.sources <= self.indices], np.dtype(np.int32))

    @cached_property
    def arc_edges(self) -> Offsets:
        """The row (arcs,) of ``edge_list`` that each arc belongs to."""
        if self.directed:
            return np.arange(len(self.indices))
        forward = self.sources <= self.indices
        rows = np.cumsum(forward) - 1
        # The arcs that lead back, taken by the node they lead to, are the forward arcs in order.
        back = np.flatnonzero(~forward)
        proper = np.flatnonzero(self.sources < self.indices)
        rows[back[np.lexsort((self.sources[back], self.indices[back]))]] = rows[proper]
        return rows

    @cached_property
    def incoming(self) -> tuple[Offsets, Offsets]:
        """The arcs that enter each node: ``indptr (nodes + 1,)`` and the numbers (arcs,) of the arcs, both int64."""
        counts = np.bincount(self.indices, minlength=self.nodes)
        return offsets_of(counts), np.argsort(self.indices, kind="stable")

    @cached_property
    def simple(self) -> Csr:
        """The same nodes with every edge in both directions and without loops or labels."""
        if not self.directed and not np.any(self.sources == self.indices):
            return (
                self if self.node_labels is None and self.edge_labels is None else Csr(self.indptr, self.indices, False)
            )
        pairs = self.edge_list[self.edge_list[:, 0] != self.edge_list[:, 1]]
        return Csr(*rows_of(np.concatenate([pairs, pairs[:, ::-1]]), self.nodes), False)

    def _check_rows(self) -> None:
        if self.indptr.ndim != 1 or self.indices.ndim != 1 or not len(self.indptr):
            raise InvalidInputError("A graph needs row offsets (nodes + 1,) and indices (arcs,), each with one axis.")
        if self.indptr[0] != 0 or self.indptr[-1] != len(self.indices) or np.any(np.diff(self.indptr) < 0):
            raise InvalidInputError(f"The row offsets must rise from 0 to the number of arcs, {len(self.indices)}.")
        if len(self.indices) and not 0 <= self.indices.min() <= self.indices.max() < self.nodes:
            raise InvalidInputError(
                f"The graph has nodes 0 to {self.nodes - 1}; an edge names node {_outside(self.indices, self.nodes)}."
            )
        inside = np.diff(self.sources) == 0
        if np.any(np.diff(self.indices)[inside] <= 0):
            raise InvalidInputError("The indices of a row must ascend, none of them twice.")

    def _check_symmetry(self) -> None:
        there = self.sources.astype(np.int64) * self.nodes + self.indices
        back = self.indices.astype(np.int64) * self.nodes + self.sources
        if not np.array_equal(there, np.sort(back)):
            raise InvalidInputError(
                "An undirected graph needs every edge in both rows; say directed=True for one-way edges."
            )


def offsets_of(counts: ArrayLike) -> Offsets:
    """Return where each of several stretches (n,) begins, and the end of the last: (n + 1,) int64 from 0."""
    return np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)


def rows_of(arcs: np.ndarray, nodes: int) -> tuple[Offsets, Ints]:
    """Return ``indptr`` and ``indices`` of arcs (n, 2), of which some may occur more than once."""
    keys = np.sort(arcs[:, 0].astype(np.int64) * max(nodes, 1) + arcs[:, 1])
    keys = keys[np.diff(keys, prepend=-1) > 0]
    sources, targets = np.divmod(keys, max(nodes, 1))
    return offsets_of(np.bincount(sources, minlength=nodes)), targets.astype(np.int32)


def _outside(indices: np.ndarray, nodes: int) -> int:
    return int(indices[(indices < 0) | (indices >= nodes)][0])


def _frozen(values: np.ndarray, dtype: np.dtype) -> np.ndarray:
    """Return a read-only array of one dtype; a copy, unless nobody can write to the given one."""
    given = np.asarray(values)
    if given.dtype == dtype and given.flags.c_contiguous and not given.flags.writeable:
        return given
    array = np.array(given, dtype, order="C")
    array.flags.writeable = False
    return array
