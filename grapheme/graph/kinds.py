"""The kinds of graph by name, so that what was kept comes back as what it was."""

from __future__ import annotations

from grapheme.graph.abstract import AbstractGraph
from grapheme.graph.graph import Graph


def of_kind(name: str, graph: Graph) -> AbstractGraph:
    """Return a graph as the kind of that name; as it is, if the kind is not known here."""
    return next((kind.from_graph(graph) for kind in _kinds() if kind.__name__ == name), graph)


def _kinds() -> list[type[AbstractGraph]]:
    return AbstractGraph.__subclasses__()
