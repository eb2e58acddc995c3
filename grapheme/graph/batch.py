"""Many graphs as one: a block for each, and no edges between blocks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import final

import numpy as np

from grapheme.errors import InvalidInputError
from grapheme.graph.abstract import AbstractGraph
from grapheme.graph.graph import Graph
from grapheme.kernels.csr import Csr, Labels, Offsets, offsets_of


@final
@dataclass(frozen=True, eq=False)
class GraphBatch:
    """Graphs side by side in ``graph``; nodes ``offsets[i]`` to ``offsets[i + 1] - 1`` are those of graph i."""

    graph: Graph
    offsets: Offsets

    @classmethod
    def of(cls, graphs: Sequence[AbstractGraph]) -> GraphBatch:
        """Return graphs of one kind, all directed or none, all with labels or none, as one."""
        if len({graph.directed for graph in graphs}) > 1:
            raise InvalidInputError("The graphs of a batch are all directed or all undirected.")
        offsets = offsets_of([graph.nodes for graph in graphs])
        arcs = offsets_of([len(graph.indices) for graph in graphs])
        indptr = np.concatenate([[0], *(graph.indptr[1:] + arc for graph, arc in zip(graphs, arcs, strict=False))])
        indices = np.concatenate([[], *(graph.indices + node for graph, node in zip(graphs, offsets, strict=False))])
        directed = bool(graphs) and graphs[0].directed
        node_labels = _together("node", [graph.node_labels for graph in graphs if graph.nodes])
        edge_labels = _together("edge", [graph.edge_labels for graph in graphs if graph.edges])
        return cls(Graph(Csr(indptr, indices, directed, node_labels, edge_labels)), offsets)

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def __iter__(self) -> Iterator[Graph]:
        return (self[i] for i in range(len(self)))

    def __getitem__(self, i: int) -> Graph:
        """Return graph i alone, with its own numbers."""
        if not 0 <= i < len(self):
            raise IndexError(f"The batch has graphs 0 to {len(self) - 1}; got {i}.")
        whole = self.graph.csr
        first, last = self.offsets[i], self.offsets[i + 1]
        rows = slice(whole.indptr[first], whole.indptr[last])
        edges = slice(*np.searchsorted(whole.edge_list[:, 0], [first, last]))
        return Graph(
            Csr(
                whole.indptr[first : last + 1] - whole.indptr[first],
                whole.indices[rows] - first,
                whole.directed,
                None if whole.node_labels is None else whole.node_labels[first:last],
                None if whole.edge_labels is None else whole.edge_labels[edges],
            )
        )


def _together(name: str, parts: list[Labels | None]) -> Labels | None:
    """Return the labels of all graphs in a row."""
    given = [part for part in parts if part is not None]
    if not given:
        return None
    if len(given) < len(parts):
        raise InvalidInputError(f"Some graphs of the batch have {name} labels and some have none.")
    return tuple(label for part in given for label in part)
