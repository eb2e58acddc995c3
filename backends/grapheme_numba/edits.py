"""Edit distance: first mappings of all pairs side by side, and a search whose subtrees run side by side."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import njit

from grapheme.arrays import Ints
from grapheme.kernels.edits import DELETED, EditProblem, EditSearch
from grapheme_numba import schedule
from grapheme_numba.branches import Batch, pair
from grapheme_numba.starts import start
from grapheme_numba.subtree import explore


class Search(NamedTuple):
    """Subtrees of partial mappings, each with room for what comes of it."""

    stacks: Any
    """(subtrees, most, nodes): partial mappings still to look at; at first the subtree's own."""
    bounds: Any
    """(subtrees, most): no mapping below costs less."""
    upper: Any
    """(subtrees,): the cost of the best mapping found."""
    mapping: Any
    """(subtrees, nodes): and that mapping."""
    left: Any
    """(subtrees,): how many partial mappings are left on the stack."""


def edit_bounds(problem: EditProblem) -> tuple[np.ndarray, np.ndarray, Ints]:
    """Return a lower bound ``(P,)``, the cost of a good mapping ``(P,)`` and that mapping ``(P, N)`` of every pair."""
    count, size = len(problem.pairs), problem.nodes.shape[1]
    lower, upper = np.empty(count, np.int64), np.empty(count, np.int64)
    mapping = np.full((count, size), DELETED, np.int32)

    batch = _batch(problem, problem.pairs)
    schedule.run(lambda hand: _start_all(batch, lower, upper, mapping, *hand), schedule.hands(count))
    return lower, upper, mapping


def edit_search(problem: EditProblem, search: EditSearch, budget: int) -> EditSearch:
    """Look at up to ``budget`` nodes of every open subtree; return the better mappings and what is left."""
    count, size = search.subtrees.shape
    # A stack holds at most the siblings along one path, and what the budget can put on it.
    stacks = np.empty((count, min(size, budget) * (size + 1) + 1, size), np.int32)
    bounds = np.empty(stacks.shape[:2], np.int64)
    stacks[:, 0], bounds[:, 0] = search.subtrees, search.bound
    batch, left = _batch(problem, problem.pairs[search.owner]), np.empty(count, np.int64)
    room = Search(stacks, bounds, search.upper[search.owner], search.mapping[search.owner], left)
    schedule.run(lambda hand: _explore_all(batch, room, budget, *hand), schedule.hands(count))
    best, best_mapping = _merge(search, room.upper, room.mapping)
    kept = (np.arange(stacks.shape[1]) < left[:, None]) & (bounds < best[search.owner][:, None])
    return EditSearch(best, best_mapping, np.repeat(search.owner, kept.sum(axis=1)), stacks[kept], bounds[kept])


def _batch(problem: EditProblem, pairs: Ints) -> Batch:
    return Batch(problem.nodes, problem.edges, problem.node_costs, problem.edge_costs, pairs)


def _merge(search: EditSearch, upper: np.ndarray, mapping: Ints) -> tuple[np.ndarray, Ints]:
    """Return the best mapping of each pair; of equals that of the first subtree."""
    best, best_mapping = search.upper.copy(), search.mapping.copy()
    for task in np.flatnonzero(upper < search.upper[search.owner]):
        owner = search.owner[task]
        if upper[task] < best[owner]:
            best[owner], best_mapping[owner] = upper[task], mapping[task]
    return best, best_mapping


@njit(cache=True, nogil=True)
def _start_all(batch: Batch, lower: Any, upper: Any, mapping: Any, first: int, step: int) -> None:
    """Write bounds and first mappings of every ``step``-th pair from ``first`` on."""
    for p in range(first, batch.pairs.shape[0], step):
        lower[p], upper[p] = start(pair(batch, p), mapping[p])


@njit(cache=True, nogil=True)
def _explore_all(batch: Batch, search: Search, budget: int, first: int, step: int) -> None:
    """Explore every ``step``-th subtree from ``first`` on; pair i of the batch is that of subtree i."""
    for i in range(first, batch.pairs.shape[0], step):
        problem, best = pair(batch, i), search.upper[i]
        found = explore(problem, search.stacks[i], search.bounds[i], best, search.mapping[i], budget)
        search.upper[i], search.left[i] = found
