"""Topological generations as networkx returns them: lists of names."""

from __future__ import annotations

from collections.abc import Iterator

import networkx as nx

from grapheme.errors import InvalidInputError
from grapheme.graph.dag import topological_generations as generations_of
from grapheme.networkx_backend.named import Name, NamedGraph


def topological_generations(G: NamedGraph) -> Iterator[list[Name]]:  # noqa: N803 (networkx passes it by this name)
    """Yield the nodes without predecessors, then those whose predecessors have all been, and so on."""
    if not G.is_directed():
        raise nx.NetworkXError("Topological sort not defined on undirected graphs.")
    try:
        generations = generations_of(G.graph)
    except InvalidInputError:
        raise nx.NetworkXUnfeasible("Graph contains a cycle.") from None
    for generation in generations:
        names = G.named(generation)
        _check_unchanged(G, names)
        yield names


def _check_unchanged(graph: NamedGraph, names: list[Name]) -> None:
    """Notice nodes that came or went while the caller looked at a generation, as networkx does."""
    if len(graph.source) > len(graph.names) or not all(name in graph.source for name in names):
        raise RuntimeError("Graph changed during iteration")
    if len(graph.source) < len(graph.names):
        raise nx.NetworkXUnfeasible("Graph changed during iteration")
