"""Core numbers, and the orientation of a graph by an order of its nodes."""

from __future__ import annotations

import cupy
import numpy as np

from grapheme.arrays import Array
from grapheme_cupy.launch import BLOCK_OF_WARPS, blocks_of_warps
from grapheme_cupy.sources import kernel

AT_ONCE = 8
"""Rounds between two looks at whether anything still changes: a look costs more than a round in which nothing does."""

NONE = np.int64(2**63 - 1)
"""A key that sorts after all others."""


def core_numbers(indptr: Array, indices: Array) -> Array:
    """Lower every node's estimate, at first its degree, until all agree with their neighbours'."""
    nodes = indptr.shape[0] - 1
    cores, other = (indptr[1:] - indptr[:-1]).astype(np.int32), cupy.empty(nodes, np.int32)
    if not nodes:
        return cores
    lower, grid = kernel("degeneracy.cu", "degeneracy_lower"), (blocks_of_warps(nodes),)
    changed = cupy.ones(1, np.int32)
    while int(changed[0]):
        changed = cupy.zeros(1, np.int32)
        for _ in range(AT_ONCE):
            lower(grid, BLOCK_OF_WARPS, (indptr, indices, np.int32(nodes), cores, other, changed))
            cores, other = other, cores
    return cores


def orient(indptr: Array, indices: Array, order: Array) -> tuple[Array, Array]:
    """Keep the arcs to later nodes of ``order``, renumbered by it, sorted by both their ends."""
    nodes = order.shape[0]
    if not nodes or not indices.shape[0]:
        return cupy.zeros(nodes + 1, np.int64), cupy.zeros(0, np.int32)
    rank = cupy.full(indptr.shape[0] - 1, -1, np.int32)
    rank[order] = cupy.arange(nodes, dtype=np.int32)
    keys = cupy.full(indices.shape[0], NONE, np.int64)
    kernel("degeneracy.cu", "degeneracy_keys")(
        (blocks_of_warps(nodes),), BLOCK_OF_WARPS, (indptr, indices, order, rank, np.int32(nodes), keys)
    )
    keys = cupy.sort(keys)
    offsets = cupy.searchsorted(keys, cupy.arange(nodes + 1, dtype=np.int64) * nodes)
    return offsets, (keys[: int(offsets[nodes])] % nodes).astype(np.int32)
