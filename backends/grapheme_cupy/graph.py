"""Cliques, directed acyclic graphs and edit distance; each concept has its own file."""

from __future__ import annotations

from grapheme_cupy.cliques import count_cliques, list_cliques
from grapheme_cupy.dag import dag_forward, dag_grad
from grapheme_cupy.degeneracy import core_numbers, orient
from grapheme_cupy.edits import edit_bounds, edit_search
from grapheme_cupy.maximal import maximal_cliques
from grapheme_cupy.topology import topological_levels

__all__ = [
    "core_numbers",
    "count_cliques",
    "dag_forward",
    "dag_grad",
    "edit_bounds",
    "edit_search",
    "list_cliques",
    "maximal_cliques",
    "orient",
    "topological_levels",
]
