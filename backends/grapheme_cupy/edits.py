"""Edit distances: bounds and good mappings of many pairs at once, and a search whose subtrees run side by side."""

from __future__ import annotations

from collections.abc import Iterator

import cupy
import numpy as np

from grapheme.arrays import Array
from grapheme.kernels.edits import EditProblem, EditSearch
from grapheme_cupy.device import WORKSPACE
from grapheme_cupy.launch import BLOCK_OF_WARPS, WARPS, blocks_of_warps
from grapheme_cupy.sources import kernel


def edit_bounds(problem: EditProblem) -> tuple[Array, Array, Array]:
    """Return a lower bound ``(P,)``, the cost of a good mapping ``(P,)`` and that mapping ``(P, N)`` of every pair."""
    count, room = problem.pairs.shape[0], problem.nodes.shape[1]
    lower, upper = cupy.empty(count, np.int64), cupy.empty(count, np.int64)
    mapping = cupy.empty((count, room), np.int32)
    if count:
        graphs, (blocks, work) = _graphs(problem), _work(problem, count)
        kernel("edits.cu", "edits_bounds")((blocks,), BLOCK_OF_WARPS, (*graphs, *work, lower, mapping))
        used = cupy.empty((blocks * WARPS, room), np.int32)
        kernel("edits.cu", "edits_mappings")((blocks,), BLOCK_OF_WARPS, (*graphs, used, lower, upper, mapping))
    return lower, upper, mapping


def edit_search(problem: EditProblem, search: EditSearch, budget: int) -> EditSearch:
    """Look at up to ``budget`` nodes of every open subtree; return the better mappings and what is left."""
    if not search.owner.shape[0] or budget < 1:
        return search
    upper, mapping = search.upper[search.owner], search.mapping[search.owner]
    left = _explore(problem, search, budget, upper, mapping)
    owner, subtrees, bound = (cupy.concatenate(parts) for parts in zip(*left, strict=True))
    best, best_mapping = _merge(search, upper, mapping)
    kept = bound < best[owner]
    return EditSearch(best, best_mapping, owner[kept], subtrees[kept], bound[kept])


def _explore(
    problem: EditProblem, search: EditSearch, budget: int, upper: Array, mapping: Array
) -> Iterator[tuple[Array, Array, Array]]:
    """Search as many subtrees at once as have room for their stacks, improving ``upper`` and ``mapping`` of each.

    Yield owners, partial mappings and bounds of what is left of them.
    """
    count, nodes = search.subtrees.shape
    most = min(nodes, budget) * (nodes + 1)  # the siblings along one path, or what the budget can put on a stack
    graphs, at_once = _graphs(problem), max(1, WORKSPACE // (12 * most + 1))
    for first in range(0, count, at_once):
        own = slice(first, min(count, first + at_once))
        tasks = own.stop - first
        (blocks, work), subtrees = _work(problem, tasks), search.subtrees[own]
        paths, levels, ends = (cupy.empty((tasks, size), np.int32) for size in (nodes, 2 * nodes, 2))
        choices, bounds = cupy.empty((tasks, most), np.int32), cupy.empty((tasks, most), np.int64)
        kernel("subtree.cu", "subtree_explore")(
            (blocks,), BLOCK_OF_WARPS,
            (*graphs, search.owner[own], subtrees, search.bound[own], np.int64(tasks), np.int64(budget),
             np.int64(most), *work, upper[own], mapping[own], paths, levels, choices, bounds, ends),
        )  # fmt: skip
        entries = cupy.flatnonzero(cupy.arange(most) < ends[:, 1:])
        task, place = entries // most, entries % most
        left = cupy.empty((task.shape[0], nodes), np.int32)
        if task.shape[0]:
            kernel("subtree.cu", "subtree_unfold")(
                (blocks_of_warps(task.shape[0]),), BLOCK_OF_WARPS,
                (task, place, np.int64(task.shape[0]), np.int32(nodes), np.int64(most), subtrees, paths, levels,
                 choices, ends, left),
            )  # fmt: skip
        yield search.owner[own][task], left, bounds[task, place]


def _merge(search: EditSearch, upper: Array, mapping: Array) -> tuple[Array, Array]:
    """Return the best mapping of each pair; of equals that of the first subtree."""
    owner = cupy.asnumpy(search.owner)
    order = np.lexsort((cupy.asnumpy(upper), owner))
    owners, firsts = np.unique(owner[order], return_index=True)
    pairs, tasks = cupy.asarray(owners), cupy.asarray(order[firsts])
    best, best_mapping = search.upper.copy(), search.mapping.copy()
    best[pairs], best_mapping[pairs] = upper[tasks], mapping[tasks]
    return best, best_mapping


def _graphs(problem: EditProblem) -> tuple[Array, ...]:
    """Return the struct ``Sizes`` of branches.cuh and what ``Graphs`` consists of, and the pairs."""
    edge_costs = cupy.asnumpy(problem.edge_costs)
    shape = problem.pairs.shape[0], problem.nodes.shape[1], problem.node_costs.shape[0], len(edge_costs)
    return (
        cupy.asarray(np.array([*shape, *_floors(edge_costs)], np.int64)), problem.nodes, problem.edges,
        (problem.nodes != 0).sum(axis=1).astype(np.int32), problem.node_costs, problem.edge_costs, problem.pairs,
    )  # fmt: skip


def _work(problem: EditProblem, wanted: int) -> tuple[int, tuple[Array, Array]]:
    """Return how many blocks share ``wanted`` pieces of work, and what their warps work on."""
    room, codes = problem.nodes.shape[1], problem.edge_costs.shape[0]
    longs, ints = room * (room + 6) + 1, room * (9 + 2 * codes)
    blocks = blocks_of_warps(wanted, 8 * longs + 4 * ints)
    return blocks, (cupy.empty((blocks * WARPS, longs), np.int64), cupy.empty((blocks * WARPS, ints), np.int32))


def _floors(edge_costs: np.ndarray) -> tuple[int, int, int]:
    """Return the least cost of changing an edge's code, of deleting an edge and of inserting one."""
    codes = range(1, len(edge_costs))
    if not codes:
        return 0, 0, 0
    delete, insert = int(edge_costs[1:, 0].min()), int(edge_costs[0, 1:].min())
    changes = [int(edge_costs[x, y]) for x in codes for y in codes if x != y]
    return min([delete + insert, *changes]), delete, insert
