"""Graphs: what they are made of, and what can be asked of them."""

from grapheme.graph.cliques import count_k_cliques, iter_k_cliques, k_clique_communities, k_cliques, maximal_cliques
from grapheme.graph.edit_costs import EditCosts
from grapheme.graph.edit_distance import EditDistance, EditDistances, edit_distance, edit_distances
from grapheme.graph.edit_path import Edit
from grapheme.graph.graph import Graph
from grapheme.graph.memory import GraphMemory, Recalled

__all__ = [
    "Edit",
    "EditCosts",
    "EditDistance",
    "EditDistances",
    "Graph",
    "GraphMemory",
    "Recalled",
    "count_k_cliques",
    "edit_distance",
    "edit_distances",
    "iter_k_cliques",
    "k_clique_communities",
    "k_cliques",
    "maximal_cliques",
]
