"""Graphs: what they are made of, and what can be asked of them."""

from grapheme.graph.cliques import count_k_cliques, iter_k_cliques, k_clique_communities, k_cliques, maximal_cliques
from grapheme.graph.graph import Graph

__all__ = [
    "Graph",
    "count_k_cliques",
    "iter_k_cliques",
    "k_clique_communities",
    "k_cliques",
    "maximal_cliques",
]
