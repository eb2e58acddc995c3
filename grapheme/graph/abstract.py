"""What a graph is to every function that takes one."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Self

import numpy as np

from grapheme.arrays import Ints
from grapheme.kernels.csr import Csr, Labels, Offsets


@dataclass(frozen=True, eq=False)
class AbstractGraph(ABC):
    """Nodes 0 to ``nodes - 1`` and edges between them, labelled or not: what every graph operation takes."""

    csr: Csr

    @classmethod
    @abstractmethod
    def from_graph(cls, graph: AbstractGraph) -> Self:
        """Return the same nodes, edges and labels as a graph of this kind; refuses one that is none."""

    @property
    def nodes(self) -> int:
        """How many nodes there are."""
        return self.csr.nodes

    @property
    def edges(self) -> int:
        """How many edges there are."""
        return self.csr.edges

    @property
    def edge_list(self) -> Ints:
        """The edges (edges, 2) in ascending order; those of an undirected graph once, the smaller end first."""
        return self.csr.edge_list

    @property
    def directed(self) -> bool:
        """Whether an edge leads one way only."""
        return self.csr.directed

    @property
    def indptr(self) -> Offsets:
        """Where the row of each node starts in ``indices`` (nodes + 1,) int64."""
        return self.csr.indptr

    @property
    def indices(self) -> Ints:
        """The nodes (arcs,) int32 that the arcs lead to, row by row."""
        return self.csr.indices

    @property
    def node_labels(self) -> Labels | None:
        """A label for each node, or None."""
        return self.csr.node_labels

    @property
    def edge_labels(self) -> Labels | None:
        """A label for each row of ``edge_list``, or None."""
        return self.csr.edge_labels

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, AbstractGraph) or type(self) is not type(other):
            return NotImplemented
        return (
            (self.directed, self.node_labels, self.edge_labels)
            == (other.directed, other.node_labels, other.edge_labels)
            and np.array_equal(self.indptr, other.indptr)
            and np.array_equal(self.indices, other.indices)
        )

    def __hash__(self) -> int:
        return hash((self.directed, self.node_labels, self.edge_labels, self.indptr.tobytes(), self.indices.tobytes()))

    def __repr__(self) -> str:
        kind = "directed" if self.directed else "undirected"
        return f"{type(self).__name__}({self.nodes} nodes, {self.edges} {kind} edges)"
