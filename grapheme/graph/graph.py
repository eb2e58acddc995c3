"""A graph of any kind, and the ways to and from other forms of it."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from os import PathLike
from typing import TYPE_CHECKING, Any, final

import numpy as np
from numpy.typing import ArrayLike

from grapheme.errors import InvalidInputError
from grapheme.graph.abstract import AbstractGraph
from grapheme.kernels.csr import MOST_NODES, Csr, Labels, rows_of

if TYPE_CHECKING:
    import networkx
    import scipy.sparse


@final
@dataclass(frozen=True, eq=False, repr=False)
class Graph(AbstractGraph):
    """Nodes, edges and perhaps labels, with no further meaning; immutable."""

    @classmethod
    def from_edges(
        cls,
        edges: ArrayLike | Iterable[tuple[int, int]],
        n: int | None = None,
        labels: Iterable[Hashable] | None = None,
        directed: bool = False,
        edge_labels: Iterable[Hashable] | None = None,
    ) -> Graph:
        """Return the graph of pairs of nodes (edges, 2); ``n`` nodes, by default as many as labels or pairs name.

        An edge given twice counts once; its labels must agree. An edge from a node to itself is a loop.
        """
        pairs = _pairs(edges)
        node_labels = None if labels is None else tuple(labels)
        nodes = _node_count(n, node_labels, pairs)
        if len(pairs) and not 0 <= pairs.min() <= pairs.max() < nodes:
            wrong = int(pairs[(pairs < 0) | (pairs >= nodes)][0])
            raise InvalidInputError(f"The graph has {nodes} nodes, numbered from 0; an edge names node {wrong}.")
        arcs = pairs if directed else np.concatenate([pairs, pairs[:, ::-1]])
        named = None if edge_labels is None else _in_order(pairs, tuple(edge_labels), nodes, directed)
        return cls(Csr(*rows_of(arcs, nodes), directed, node_labels, named))

    @classmethod
    def from_graph(cls, graph: AbstractGraph) -> Graph:
        """Return a graph of another kind without its meaning."""
        return cls(graph.csr)

    @classmethod
    def from_networkx(cls, graph: networkx.Graph[Any], node_label: str = "label", edge_label: str = "label") -> Graph:
        """Return a networkx Graph or DiGraph, its nodes numbered in its own order.

        Labels are the attributes of these names; a graph in which no node (no edge) has one gets none.
        """
        from grapheme.graph import nx

        return nx.from_networkx(graph, node_label, edge_label)

    def to_networkx(self, node_label: str = "label", edge_label: str = "label") -> networkx.Graph[Any]:
        """Return a networkx Graph or DiGraph with nodes 0 to n - 1 and the labels as attributes of these names."""
        from grapheme.graph import nx

        return nx.to_networkx(self, node_label, edge_label)

    @classmethod
    def from_scipy(
        cls, matrix: scipy.sparse.sparray | ArrayLike, directed: bool = False, weights: bool = False
    ) -> Graph:
        """Return the graph of an adjacency matrix (n, n): an edge where it is not 0, labelled by it if ``weights``."""
        from scipy import sparse

        coo = sparse.coo_array(matrix)
        if coo.ndim != 2 or coo.shape[0] != coo.shape[1]:
            raise InvalidInputError(f"An adjacency matrix is square; got the shape {coo.shape}.")
        coo.sum_duplicates()
        coo.eliminate_zeros()
        if not directed and abs(coo - coo.T).count_nonzero():
            raise InvalidInputError(
                "The matrix of an undirected graph is symmetric; say directed=True for one-way edges."
            )
        pairs = np.stack(coo.coords, axis=1)
        return cls.from_edges(pairs, coo.shape[0], None, directed, coo.data.tolist() if weights else None)

    def to_scipy(self) -> scipy.sparse.csr_array[Any]:
        """Return the adjacency matrix (n, n), with the edge labels as values if they are numbers, else with ones."""
        from scipy import sparse

        values = np.ones(len(self.indices))
        if self.edge_labels is not None and all(isinstance(label, (int, float)) for label in self.edge_labels):
            values = np.array(self.edge_labels)[self.csr.arc_edges]
        return sparse.csr_array((values, self.indices, self.indptr), shape=(self.nodes, self.nodes))

    @classmethod
    def read(cls, path: str | PathLike[str]) -> Graph:
        """Return the graph of a GraphML or JSON file, told apart by the name's ending."""
        from grapheme.graph import files

        return files.read(path)

    def write(self, path: str | PathLike[str]) -> None:
        """Write a GraphML or JSON file, as the name's ending says."""
        from grapheme.graph import files

        files.write(self, path)


def _pairs(edges: ArrayLike | Iterable[tuple[int, int]]) -> np.ndarray:
    given = edges if isinstance(edges, (np.ndarray, Sequence)) else list(edges)  # type: ignore[arg-type]
    try:
        array = np.asarray(given)
    except ValueError:
        array = np.zeros(0, np.object_)  # rows of several lengths
    if array.size == 0 and not (array.dtype == np.object_ or array.ndim > 2):
        return np.zeros((0, 2), np.int64)
    if array.ndim != 2 or array.shape[1] != 2 or not np.issubdtype(array.dtype, np.integer):
        raise InvalidInputError("Give edges as pairs of whole numbers, the nodes being numbered from 0.")
    return array.astype(np.int64)


def _node_count(n: int | None, labels: Labels | None, pairs: np.ndarray) -> int:
    if n is None:
        n = len(labels) if labels is not None else int(pairs.max(initial=-1)) + 1
    if not isinstance(n, (int, np.integer)) or not 0 <= n <= MOST_NODES:
        raise InvalidInputError(f"A graph has 0 to {MOST_NODES} nodes; got {n}.")
    return int(n)


def _in_order(pairs: np.ndarray, labels: Labels, nodes: int, directed: bool) -> Labels:
    """Return the labels of ``pairs`` in the order of the finished graph's edges."""
    if len(labels) != len(pairs):
        raise InvalidInputError(f"Got {len(pairs)} edges and {len(labels)} edge labels.")
    ends = pairs if directed else np.sort(pairs, axis=1)
    label_of: dict[tuple[int, int], Hashable] = {}
    for (a, b), label in zip(ends.tolist(), labels, strict=True):
        if label_of.setdefault((a, b), label) != label:
            raise InvalidInputError(
                f"The edge from {a} to {b} is given twice, labelled {label_of[a, b]!r} and {label!r}."
            )
    return tuple(label_of[edge] for edge in sorted(label_of))
