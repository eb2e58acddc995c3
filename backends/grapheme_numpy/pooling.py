"""Sums over the nodes of each graph."""

from __future__ import annotations

import numpy as np

from grapheme.arrays import Floats
from grapheme.kernels.graph_arrays import GraphArrays


def node_sums(graphs: GraphArrays, rows: Floats) -> Floats:
    """Return the sums of the rows of each graph's nodes, one node after another."""
    sums = np.zeros((len(graphs), rows.shape[1]), rows.dtype)
    for graph in range(len(graphs)):
        for node in range(graphs.offsets[graph], graphs.offsets[graph + 1]):
            sums[graph] += rows[node]
    return sums
