"""Maximal cliques: a warp for each start node, counted first, so that each has its place before any is listed."""

from __future__ import annotations

import cupy
import numpy as np

from grapheme.arrays import Array
from grapheme_cupy.launch import BLOCK_OF_WARPS, WARPS, blocks_of_warps
from grapheme_cupy.sources import kernel


def maximal_cliques(indptr: Array, indices: Array, order: Array, cap: int) -> tuple[Array, Array] | None:
    """Count the cliques and members of each start node, then list each node's where those before it end."""
    nodes = order.shape[0]
    if not nodes:
        return cupy.zeros(1, np.int64), cupy.zeros(0, np.int32)
    rank = cupy.empty(nodes, np.int32)
    rank[order] = cupy.arange(nodes, dtype=np.int32)
    room, blocks, work = _room(indptr, indices, rank, cap)
    graph, counts = (room, indptr, indices, rank, *work), cupy.empty((nodes, 2), np.int64)
    kernel("maximal.cu", "maximal_count")((blocks,), BLOCK_OF_WARPS, (*graph, counts))
    ends = cupy.cumsum(counts, axis=0)
    cliques, total = (int(number) for number in cupy.asnumpy(ends[-1]))
    if total > cap:
        return None
    offsets, members = cupy.zeros(cliques + 1, np.int64), cupy.empty(total, np.int32)
    kernel("maximal.cu", "maximal_list")((blocks,), BLOCK_OF_WARPS, (*graph, ends - counts, offsets, members))
    return offsets, members


def _room(indptr: Array, indices: Array, rank: Array, cap: int) -> tuple[Array, int, tuple[Array, Array]]:
    """Return the struct ``Room`` of maximal.cu, how many blocks to launch, and what their warps work on."""
    nodes = rank.shape[0]
    later = cupy.empty(nodes, np.int32)
    kernel("maximal.cu", "maximal_later")(
        (blocks_of_warps(nodes),), BLOCK_OF_WARPS, (indptr, indices, rank, np.int32(nodes), later)
    )
    most, earlier = max(1, int(later.max())), int((indptr[1:] - indptr[:-1] - later).max())
    ints = most + 3 * earlier + 2 * (most + 1) + 1
    words = (most + earlier + 3 * (most + 1)) * -(-most // 32)
    blocks = blocks_of_warps(nodes, 4 * (ints + words))
    work = cupy.empty((blocks * WARPS, ints), np.int32), cupy.empty((blocks * WARPS, words), np.uint32)
    return cupy.asarray(np.array([nodes, cap, most, earlier], np.int64)), blocks, work
