"""Topological levels: nodes are taken away in waves; one block goes through those that would leave others idle."""

from __future__ import annotations

import cupy
import numpy as np

from grapheme.arrays import Array
from grapheme_cupy.launch import BLOCK_OF_THREADS, blocks_of_threads
from grapheme_cupy.sources import kernel

NARROW = 4096
"""Nodes of a level that one block still takes by itself."""

ONE_BLOCK = (1024,)


def topological_levels(indptr: Array, indices: Array) -> Array:
    """Take nodes away in the order of their levels; the host is asked only when a level is wide, and at the end."""
    nodes, arcs = indptr.shape[0] - 1, indices.shape[0]
    levels, queue = cupy.empty(nodes, np.int32), cupy.empty(nodes, np.int32)
    if not nodes:
        return levels
    waiting, frontier = cupy.zeros(nodes, np.int32), cupy.zeros(4, np.int32)
    if arcs:
        kernel("topology.cu", "topology_waiting")(
            (blocks_of_threads(arcs),), BLOCK_OF_THREADS, (indices, np.int64(arcs), waiting)
        )
    kernel("topology.cu", "topology_roots")(
        (blocks_of_threads(nodes),), BLOCK_OF_THREADS, (waiting, np.int32(nodes), levels, queue, frontier)
    )
    narrow, wide = kernel("topology.cu", "topology_narrow"), kernel("topology.cu", "topology_wide")
    graph, state = (indptr, indices), (waiting, levels, queue, frontier)
    begin, level = np.int32(0), np.int32(0)
    while True:
        narrow((1,), ONE_BLOCK, (*graph, begin, level, np.int32(NARROW), *state))
        begin, end, level, _ = cupy.asnumpy(frontier)
        if begin == end:
            return levels
        wide((blocks_of_threads(int(end - begin)),), BLOCK_OF_THREADS, (*graph, begin, end, level, *state))
        begin, level = end, level + np.int32(1)
