"""Sums over the nodes of each graph, on the device."""

from __future__ import annotations

import cupy

from grapheme.arrays import Array
from grapheme.kernels.graph_arrays import GraphArrays
from grapheme_cupy.rows import Segments, gather


def node_sums(graphs: GraphArrays, rows: Array) -> Array:
    """Return the sums of the rows of each graph's nodes, in their order."""
    width = rows.shape[1]
    return gather(rows, Segments.stretches(graphs.offsets, width), width, cupy.empty((len(graphs), width), rows.dtype))
