"""What networkx looks up by name: the functions that run here, and how graphs get in and out."""

from grapheme.networkx_backend.cliques import enumerate_all_cliques, find_cliques
from grapheme.networkx_backend.edit_distance import graph_edit_distance, optimize_graph_edit_distance
from grapheme.networkx_backend.generations import topological_generations
from grapheme.networkx_backend.named import convert_from_nx, convert_to_nx
from grapheme.networkx_backend.runnable import can_run, should_run

__all__ = [
    "can_run",
    "convert_from_nx",
    "convert_to_nx",
    "enumerate_all_cliques",
    "find_cliques",
    "graph_edit_distance",
    "optimize_graph_edit_distance",
    "should_run",
    "topological_generations",
]
