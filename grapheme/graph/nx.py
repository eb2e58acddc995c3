"""Graphs to and from networkx, which is imported only when asked for."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import TYPE_CHECKING, Any

from grapheme.errors import InvalidInputError
from grapheme.graph.abstract import AbstractGraph
from grapheme.graph.graph import Graph
from grapheme.kernels.csr import Labels

if TYPE_CHECKING:
    import networkx


def from_networkx(graph: networkx.Graph[Any], node_label: str, edge_label: str) -> Graph:
    """Return a networkx graph, its nodes numbered in its own order."""
    if graph.is_multigraph():
        raise InvalidInputError(
            "The graph may have several edges between two nodes; merge them with networkx.Graph(graph)."
        )
    number = {name: i for i, name in enumerate(graph)}
    edges = [(number[a], number[b]) for a, b in graph.edges()]
    nodes = _labels([data.get(node_label) for _, data in graph.nodes(data=True)])
    return Graph.from_edges(
        edges,
        len(number),
        nodes,
        graph.is_directed(),
        _labels([data.get(edge_label) for *_, data in graph.edges(data=True)]),
    )


def to_networkx(graph: AbstractGraph, node_label: str, edge_label: str) -> networkx.Graph[Any]:
    """Return a graph as a networkx Graph or DiGraph."""
    try:
        import networkx
    except ImportError:
        raise InvalidInputError("networkx is not installed; try: pip install 'grapheme-nn[networkx]'") from None
    result: networkx.Graph[Any] = networkx.DiGraph() if graph.directed else networkx.Graph()
    result.add_nodes_from(range(graph.nodes))
    edges = [(a, b) for a, b in graph.edge_list.tolist()]
    result.add_edges_from(edges)
    if graph.node_labels is not None:
        networkx.set_node_attributes(result, dict(enumerate(graph.node_labels)), node_label)
    if graph.edge_labels is not None:
        networkx.set_edge_attributes(result, dict(zip(edges, graph.edge_labels, strict=True)), edge_label)
    return result


def _labels(values: Iterable[Hashable]) -> Labels | None:
    labels = tuple(values)
    return None if all(label is None for label in labels) else labels
