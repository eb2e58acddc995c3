"""Edit distance: first mappings of all pairs side by side, and a search whose subtrees run side by side.

Threads are Python's, for the compiled code needs no interpreter: work of uneven size is dealt out like cards, and
nothing so large has to be compiled a second time for a parallel loop.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
from numba import get_num_threads, njit

from grapheme.arrays import Ints
from grapheme.kernels.edits import DELETED, EditProblem, EditSearch
from grapheme_numba.branches import pair
from grapheme_numba.starts import start
from grapheme_numba.subtree import explore


def edit_bounds(problem: EditProblem) -> tuple[np.ndarray, np.ndarray, Ints]:
    """Return a lower bound ``(P,)``, the cost of a good mapping ``(P,)`` and that mapping ``(P, N)`` of every pair."""
    count, size = len(problem.pairs), problem.nodes.shape[1]
    lower, upper = np.empty(count, np.int64), np.empty(count, np.int64)
    mapping = np.full((count, size), DELETED, np.int32)

    def run(first: int, step: int) -> None:
        _start_all(
            problem.nodes, problem.edges, problem.node_costs, problem.edge_costs, problem.pairs,
            lower, upper, mapping, first, step,
        )  # fmt: skip

    _deal(run, count)
    return lower, upper, mapping


def edit_search(problem: EditProblem, search: EditSearch, budget: int) -> EditSearch:
    """Look at up to ``budget`` nodes of every open subtree; return the better mappings and what is left."""
    count, size = search.subtrees.shape
    # A stack holds at most the siblings along one path, and what the budget can put on it.
    stacks = np.empty((count, min(size, budget) * (size + 1) + 1, size), np.int32)
    bounds = np.empty(stacks.shape[:2], np.int64)
    stacks[:, 0], bounds[:, 0] = search.subtrees, search.bound
    pairs, left = problem.pairs[search.owner], np.empty(count, np.int64)
    upper, mapping = search.upper[search.owner], search.mapping[search.owner]

    def run(first: int, step: int) -> None:
        _explore_all(
            problem.nodes, problem.edges, problem.node_costs, problem.edge_costs, pairs,
            stacks, bounds, upper, mapping, left, budget, first, step,
        )  # fmt: skip

    _deal(run, count)
    best, best_mapping = _merge(search, upper, mapping)
    kept = (np.arange(stacks.shape[1]) < left[:, None]) & (bounds < best[search.owner][:, None])
    return EditSearch(best, best_mapping, np.repeat(search.owner, kept.sum(axis=1)), stacks[kept], bounds[kept])


def _deal(run: Callable[[int, int], None], count: int) -> None:
    """Call ``run(first, step)`` on as many threads as are set, so that together they take all of ``count`` pieces."""
    threads = max(1, min(get_num_threads(), count))
    if threads == 1:
        run(0, 1)
        return
    with ThreadPoolExecutor(threads) as pool:
        hands = [pool.submit(run, first, threads) for first in range(threads)]
    for hand in hands:
        hand.result()


def _merge(search: EditSearch, upper: np.ndarray, mapping: Ints) -> tuple[np.ndarray, Ints]:
    """Return the best mapping of each pair; of equals that of the first subtree."""
    best, best_mapping = search.upper.copy(), search.mapping.copy()
    for task in np.flatnonzero(upper < search.upper[search.owner]):
        owner = search.owner[task]
        if upper[task] < best[owner]:
            best[owner], best_mapping[owner] = upper[task], mapping[task]
    return best, best_mapping


@njit(cache=True, nogil=True)
def _start_all(
    nodes: Any, edges: Any, node_costs: Any, edge_costs: Any, pairs: Any,
    lower: Any, upper: Any, mapping: Any, first: int, step: int,
) -> None:  # fmt: skip
    for p in range(first, pairs.shape[0], step):
        problem = pair(nodes, edges, pairs[p, 0], pairs[p, 1], node_costs, edge_costs)
        lower[p], upper[p] = start(problem, mapping[p])


@njit(cache=True, nogil=True)
def _explore_all(
    nodes: Any, edges: Any, node_costs: Any, edge_costs: Any, pairs: Any,
    stacks: Any, bounds: Any, upper: Any, mapping: Any, left: Any, budget: int, first: int, step: int,
) -> None:  # fmt: skip
    for task in range(first, pairs.shape[0], step):
        problem = pair(nodes, edges, pairs[task, 0], pairs[task, 1], node_costs, edge_costs)
        upper[task], left[task] = explore(problem, stacks[task], bounds[task], upper[task], mapping[task], budget)
