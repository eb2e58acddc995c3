"""Graphs: what they are made of, and what can be asked of them."""

from grapheme.graph.batch import GraphBatch
from grapheme.graph.cliques import (
    count_k_cliques,
    iter_k_cliques,
    k_clique_communities,
    k_cliques,
    maximal_cliques,
)
from grapheme.graph.dag import (
    DagGradient,
    dag_forward,
    dag_gradient,
    topological_generations,
    topological_levels,
)
from grapheme.graph.edit_costs import EditCosts
from grapheme.graph.edit_distance import EditDistance, EditDistances, edit_distance, edit_distances
from grapheme.graph.edit_path import Edit
from grapheme.graph.formula import MathGraph
from grapheme.graph.graph import Graph
from grapheme.graph.memory import GraphMemory, Recalled
from grapheme.graph.source import CodeGraph
from grapheme.graph.text import GraphemeGraph

__all__ = [
    "CodeGraph",
    "DagGradient",
    "Edit",
    "EditCosts",
    "EditDistance",
    "EditDistances",
    "Graph",
    "GraphBatch",
    "GraphMemory",
    "GraphemeGraph",
    "MathGraph",
    "Recalled",
    "count_k_cliques",
    "dag_forward",
    "dag_gradient",
    "edit_distance",
    "edit_distances",
    "iter_k_cliques",
    "k_clique_communities",
    "k_cliques",
    "maximal_cliques",
    "topological_generations",
    "topological_levels",
]
