"""Edit distances: bounds and good mappings of many pairs at once; to prove them exact takes another backend."""

from __future__ import annotations

import cupy
import numpy as np

from grapheme.arrays import Array
from grapheme.edits import EditProblem
from grapheme_cupy.launch import BLOCK_OF_WARPS, WARPS, blocks_of_warps
from grapheme_cupy.sources import kernel


def edit_bounds(problem: EditProblem) -> tuple[Array, Array, Array]:
    """Return a lower bound ``(P,)``, the cost of a good mapping ``(P,)`` and that mapping ``(P, N)`` of every pair."""
    count, room, codes = problem.pairs.shape[0], problem.nodes.shape[1], problem.edge_costs.shape[0]
    lower, upper = cupy.empty(count, np.int64), cupy.empty(count, np.int64)
    mapping = cupy.empty((count, room), np.int32)
    if count:
        longs, ints = room * (room + 5), room * (4 + 2 * codes)
        blocks = blocks_of_warps(count, 8 * longs + 4 * ints)
        warps = blocks * WARPS
        graphs = (
            _sizes(problem), problem.nodes, problem.edges, (problem.nodes != 0).sum(axis=1).astype(np.int32),
            problem.node_costs, problem.edge_costs, problem.pairs,
        )  # fmt: skip
        work = cupy.empty((warps, longs), np.int64), cupy.empty((warps, ints), np.int32)
        kernel("edits.cu", "edits_bounds")((blocks,), BLOCK_OF_WARPS, (*graphs, *work, lower, mapping))
        used = cupy.empty((warps, room), np.int32)
        kernel("edits.cu", "edits_mappings")((blocks,), BLOCK_OF_WARPS, (*graphs, used, lower, upper, mapping))
    return lower, upper, mapping


def _sizes(problem: EditProblem) -> Array:
    """Return the struct ``Sizes`` of edits.cu."""
    edge_costs = cupy.asnumpy(problem.edge_costs)
    shape = problem.pairs.shape[0], problem.nodes.shape[1], problem.node_costs.shape[0], len(edge_costs)
    return cupy.asarray(np.array([*shape, *_floors(edge_costs)], np.int64))


def _floors(edge_costs: np.ndarray) -> tuple[int, int, int]:
    """Return the least cost of changing an edge's code, of deleting an edge and of inserting one."""
    codes = range(1, len(edge_costs))
    if not codes:
        return 0, 0, 0
    delete, insert = int(edge_costs[1:, 0].min()), int(edge_costs[0, 1:].min())
    changes = [int(edge_costs[x, y]) for x in codes for y in codes if x != y]
    return min([delete + insert, *changes]), delete, insert
