"""Edit distance: first mappings of all pairs side by side, and a search whose subtrees run side by side."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit, prange

from grapheme.arrays import Ints
from grapheme.edits import DELETED, EditProblem, EditSearch
from grapheme_numba.branches import pair
from grapheme_numba.starts import start
from grapheme_numba.subtree import explore


def edit_bounds(problem: EditProblem) -> tuple[np.ndarray, np.ndarray, Ints]:
    """Return a lower bound ``(P,)``, the cost of a good mapping ``(P,)`` and that mapping ``(P, N)`` of every pair."""
    count, size = len(problem.pairs), problem.nodes.shape[1]
    lower, upper = np.empty(count, np.int64), np.empty(count, np.int64)
    mapping = np.full((count, size), DELETED, np.int32)
    arrays = _arrays(problem, problem.pairs), (lower, upper, mapping)
    if count == 1:  # waking threads would take longer
        _bound_pair(*arrays[0], *arrays[1], 0)
    else:
        _bound_pairs(*arrays[0], *arrays[1])
    return lower, upper, mapping


def edit_search(problem: EditProblem, search: EditSearch, budget: int) -> EditSearch:
    """Look at up to ``budget`` nodes of every open subtree; return the better mappings and the subtrees that are left."""
    count, size = search.subtrees.shape
    # A stack holds at most the siblings along one path, and what the budget can put on it.
    stacks = np.empty((count, min(size * (size + 1), size * budget + budget) + 1, size), np.int32)
    bounds = np.empty(stacks.shape[:2], np.int64)
    stacks[:, 0], bounds[:, 0] = search.subtrees, search.bound
    upper, mapping = search.upper[search.owner], search.mapping[search.owner]
    left = np.empty(count, np.int64)
    arrays = _arrays(problem, problem.pairs[search.owner]), (stacks, bounds, upper, mapping, left, budget)
    if count == 1:
        _search_subtree(*arrays[0], *arrays[1], 0)
    else:
        _search_subtrees(*arrays[0], *arrays[1])
    best, best_mapping = search.upper.copy(), search.mapping.copy()
    for task in np.flatnonzero(upper < search.upper[search.owner]):
        if upper[task] < best[search.owner[task]]:
            best[search.owner[task]], best_mapping[search.owner[task]] = upper[task], mapping[task]
    kept = np.arange(stacks.shape[1]) < left[:, None]
    kept &= bounds < best[search.owner][:, None]
    return EditSearch(best, best_mapping, search.owner[np.nonzero(kept)[0]], stacks[kept], bounds[kept])


def _arrays(problem: EditProblem, pairs: Ints) -> tuple[np.ndarray, ...]:
    return problem.nodes, problem.edges, problem.node_costs, problem.edge_costs, pairs


@njit(cache=True)
def _bound_pair(
    nodes: Any, edges: Any, node_costs: Any, edge_costs: Any, pairs: Any, lower: Any, upper: Any, mapping: Any, p: int
) -> None:
    problem = pair(nodes, edges, pairs[p, 0], pairs[p, 1], node_costs, edge_costs)
    lower[p], upper[p] = start(problem, mapping[p])


@njit(cache=True, parallel=True)
def _bound_pairs(
    nodes: Any, edges: Any, node_costs: Any, edge_costs: Any, pairs: Any, lower: Any, upper: Any, mapping: Any
) -> None:
    for p in prange(pairs.shape[0]):
        _bound_pair(nodes, edges, node_costs, edge_costs, pairs, lower, upper, mapping, p)


@njit(cache=True)
def _search_subtree(
    nodes: Any, edges: Any, node_costs: Any, edge_costs: Any, pairs: Any,
    stacks: Any, bounds: Any, upper: Any, mapping: Any, left: Any, budget: int, task: int,
) -> None:  # fmt: skip
    problem = pair(nodes, edges, pairs[task, 0], pairs[task, 1], node_costs, edge_costs)
    upper[task], left[task] = explore(problem, stacks[task], bounds[task], upper[task], mapping[task], budget)


@njit(cache=True, parallel=True)
def _search_subtrees(
    nodes: Any, edges: Any, node_costs: Any, edge_costs: Any, pairs: Any,
    stacks: Any, bounds: Any, upper: Any, mapping: Any, left: Any, budget: int,
) -> None:  # fmt: skip
    for task in prange(pairs.shape[0]):
        _search_subtree(nodes, edges, node_costs, edge_costs, pairs, stacks, bounds, upper, mapping, left, budget, task)
