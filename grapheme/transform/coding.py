"""A graph in numbers: labels of a vocabulary, edges as arcs with relations, hops between nodes."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from grapheme.arrays import Ints
from grapheme.graph.abstract import AbstractGraph
from grapheme.kernels.csr import offsets_of
from grapheme.kernels.graph_arrays import GraphArrays
from grapheme.transform.vocabulary import Vocabulary

FAR = 127
"""The hops between nodes with no way between them, and between those further apart than anybody asked."""

DEGREES = 10
"""Degrees from 0 up that a network tells apart; the last stands for itself and all above."""


@dataclass(frozen=True, eq=False)
class CodedGraph:
    """What a network and an alignment see of a graph; it knows neither its kind nor what its labels mean."""

    directed: bool
    labels: Ints
    """(nodes,): numbers of the vocabulary."""
    edges: Ints
    """(edges, 2)."""
    kinds: Ints
    """(edges,): numbers of the vocabulary."""

    @classmethod
    def of(cls, graph: AbstractGraph, vocabulary: Vocabulary) -> CodedGraph:
        """Return a graph whose labels the vocabulary knows."""
        return cls(graph.directed, vocabulary.nodes(graph), graph.edge_list, vocabulary.edges(graph))

    @property
    def nodes(self) -> int:
        """How many nodes there are."""
        return len(self.labels)

    @cached_property
    def arcs(self) -> np.ndarray:
        """(arcs, 3): the node that a message enters, its relation, and the node it comes from; ascending.

        The relation is twice the kind, plus 1 if the message goes against the edge. In an undirected graph
        messages go both ways, both in relation ``kind``.
        """
        ends, kinds = self.edges.astype(np.int64), self.kinds.astype(np.int64)
        forward, backward = (2 * kinds, 2 * kinds + 1) if self.directed else (kinds, kinds)
        there = np.stack([ends[:, 1], forward, ends[:, 0]], axis=1)
        back = np.stack([ends[:, 0], backward, ends[:, 1]], axis=1)
        if not self.directed:
            back = back[ends[:, 0] != ends[:, 1]]
        arcs = np.concatenate([there, back])
        return arcs[np.lexsort(arcs.T[::-1])]

    @cached_property
    def neighbours(self) -> list[list[int]]:
        """The nodes next to each, whatever the way, without itself."""
        near: list[set[int]] = [set() for _ in range(self.nodes)]
        for a, b in self.edges.tolist():
            if a != b:
                near[a].add(b)
                near[b].add(a)
        return [sorted(others) for others in near]

    @cached_property
    def joined(self) -> dict[tuple[int, int], int]:
        """The kind of each edge by its ends; of an undirected graph both ways round."""
        found = {(a, b): kind for (a, b), kind in zip(self.edges.tolist(), self.kinds.tolist(), strict=True)}
        return found if self.directed else found | {(b, a): kind for (a, b), kind in found.items()}

    def hops(self, most: int) -> np.ndarray:
        """Return how many edges (nodes, nodes) lead from node to node, up to ``most``, else ``FAR``."""
        hops = np.full((self.nodes, self.nodes), FAR, np.int8)
        near = np.zeros((self.nodes, self.nodes), np.float32)
        near[self.edges[:, 0], self.edges[:, 1]] = near[self.edges[:, 1], self.edges[:, 0]] = 1
        ring = np.eye(self.nodes, dtype=np.float32)
        for distance in range(most + 1):
            found = (ring > 0) & (hops == FAR)
            if not found.any():
                break
            hops[found] = distance
            ring = near @ found
        return hops

    def arrays(self) -> GraphArrays:
        """Return the graph as a batch of one."""
        arcs = self.arcs
        indptr = offsets_of(np.bincount(arcs[:, 0], minlength=self.nodes))
        into = np.bincount(self.edges[:, 1], minlength=self.nodes)
        out_of = np.bincount(self.edges[:, 0], minlength=self.nodes)
        if not self.directed:
            into = out_of = into + out_of
        return GraphArrays(
            np.array([0, self.nodes], np.int64),
            self.labels,
            np.minimum(into, DEGREES - 1).astype(np.int32),
            np.minimum(out_of, DEGREES - 1).astype(np.int32),
            indptr,
            arcs[:, 2].astype(np.int32),
            arcs[:, 1].astype(np.int32),
        )
