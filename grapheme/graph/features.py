"""A graph as a short vector of counts, so that similar graphs have near vectors."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from grapheme.graph.abstract import AbstractGraph
from grapheme.graph.canonical import Colouring

LABELS, DEGREES, SURROUNDINGS = 16, 16, 32
FEATURES = LABELS + DEGREES + SURROUNDINGS

Vector = NDArray[np.float32]


def features(g: AbstractGraph, colours: Colouring) -> Vector:
    """Return (FEATURES,) counts: nodes by label, by degree, and by label with neighbours; an edit changes few."""
    degrees = np.bincount(g.edge_list.ravel(), minlength=g.nodes)
    return np.concatenate(
        [
            _histogram((int.from_bytes(colour[:4], "little") for colour in colours.first), LABELS),
            _histogram(np.minimum(degrees, DEGREES - 1).tolist(), DEGREES),
            _histogram((int.from_bytes(colour[:4], "little") for colour in colours.second), SURROUNDINGS),
        ]
    ).astype(np.float32)


def nearest(vector: Vector, vectors: NDArray[np.float32], count: int) -> NDArray[np.int64]:
    """Return the rows of ``vectors (n, FEATURES)`` nearest to ``vector``, nearest first, of equals the earlier."""
    distance = np.abs(vectors - vector).sum(axis=1)
    if count < len(distance):
        limit = np.partition(distance, count - 1)[count - 1]
        rows = np.flatnonzero(distance <= limit)
    else:
        rows = np.arange(len(distance))
    return rows[np.argsort(distance[rows], kind="stable")][:count]


def _histogram(values: Iterable[int], bins: int) -> NDArray[np.int64]:
    """Count values by their remainder."""
    return np.bincount(np.array(list(values), np.int64) % bins, minlength=bins)
