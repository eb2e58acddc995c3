"""Cliques and directed acyclic graphs, compiled; each concept has its own file."""

from __future__ import annotations

from grapheme_numba.cliques import count_cliques, list_cliques
from grapheme_numba.dag import dag_forward, dag_grad, topological_levels
from grapheme_numba.degeneracy import core_numbers, orient
from grapheme_numba.edits import edit_bounds, edit_search
from grapheme_numba.maximal import maximal_cliques

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
