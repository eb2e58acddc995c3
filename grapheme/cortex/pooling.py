"""The mean over the nodes of each graph, its pull-back, and rows put in their places, on arrays of any backend."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from grapheme.arrays import Array
from grapheme.backend import Backend
from grapheme.kernels.graph_arrays import GraphArrays


def pooled(graphs: GraphArrays, states: Array, backend: Backend) -> Array:
    """Return the mean (graphs, width) over the nodes of each graph; no graph is empty."""
    return _over_sizes(graphs, backend.cortex.node_sums(graphs, states), backend)


def pooled_grad(graphs: GraphArrays, grad: Array, backend: Backend) -> Array:
    """Pull the gradient of the means back to the nodes (nodes, width)."""
    owners = np.repeat(np.arange(len(graphs)), np.diff(graphs.offsets))
    return rows_of(_over_sizes(graphs, grad, backend), owners, backend)


def rows_of(array: Array, rows: np.ndarray, backend: Backend) -> Array:
    """Return the rows of these numbers."""
    return backend.xp.take(array, backend.asarray(rows), axis=0)


def placed(parts: Sequence[Array], places: Sequence[np.ndarray], rows: int, backend: Backend) -> Array:
    """Return an array of so many rows, those of each part in the places given for them, and 0 in all others.

    There is at least one part, none is empty, and no two rows have the same place.
    """
    count = sum(map(len, places))
    number = np.full(rows, count)
    number[np.concatenate(places)] = np.arange(count)
    blank = [] if count == rows else [backend.xp.zeros_like(parts[0][:1, ...])]
    return rows_of(backend.xp.concat([*parts, *blank]), number, backend)


def _over_sizes(graphs: GraphArrays, rows: Array, backend: Backend) -> Array:
    sizes = backend.xp.astype(backend.asarray(np.diff(graphs.offsets)), rows.dtype)
    return rows / sizes[:, None]
