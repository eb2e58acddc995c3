"""Whether a call can run here, and whether it should: True, or the reason why not."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from typing import Any

from grapheme.graph.edit_codes import MOST_NODES
from grapheme.networkx_backend.cliques import enumerate_all_cliques, find_cliques
from grapheme.networkx_backend.edit_distance import graph_edit_distance, optimize_graph_edit_distance
from grapheme.networkx_backend.generations import topological_generations
from grapheme.networkx_backend.named import NamedGraph, convert_to_nx

WORTHWHILE = {"enumerate_all_cliques": 500, "find_cliques": 500, "topological_generations": 50_000}
"""Edges below which networkx has finished before a graph is converted."""

Call = dict[str, Any]

CLIQUES: tuple[Callable[..., Any], ...] = (enumerate_all_cliques, find_cliques)
DISTANCES: tuple[Callable[..., Any], ...] = (graph_edit_distance, optimize_graph_edit_distance)
SIGNATURES = {
    function.__name__: inspect.signature(function) for function in (*CLIQUES, *DISTANCES, topological_generations)
}


def can_run(name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool | str:
    """Return True, or why the function ``name`` of networkx cannot run here with these arguments."""
    if name not in {function.__name__ for function in DISTANCES}:
        return name in SIGNATURES
    call = _call(name, args, kwargs)
    graphs = convert_to_nx(call["G1"]), convert_to_nx(call["G2"])
    return next(_obstacles(graphs, call), True)


def should_run(name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool | str:
    """Return True, or why networkx itself would be faster."""
    graph, fewest = _call(name, args, kwargs).get("G"), WORTHWHILE.get(name, 0)
    if graph is None or isinstance(graph, NamedGraph) or graph.number_of_edges() >= fewest:
        return True
    return f"A graph with fewer than {fewest} edges takes longer to convert than to search."


def _obstacles(graphs: tuple[Any, Any], call: Call) -> Iterator[str]:
    if any(graph.is_multigraph() for graph in graphs):
        yield "Edit distances here are of graphs without parallel edges."
    if graphs[0].is_directed() != graphs[1].is_directed():
        yield "Edit distances here are of graphs that are both directed or both undirected."
    if any(node in neighbours for graph in graphs for node, neighbours in graph.adjacency()):
        yield "Here a self-loop becomes that of its node's image or none, while networkx lets it become any edge."
    if max(map(len, graphs)) > MOST_NODES:
        yield f"Edit distances here are of graphs with up to {MOST_NODES} nodes."
    if call["roots"] is not None:
        yield "Edit distances here cannot be told which nodes are roots."


def _call(name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Call:
    """Return the arguments by name."""
    bound = SIGNATURES[name].bind(*args, **kwargs)
    bound.apply_defaults()
    return {"roots": None, **bound.arguments}
