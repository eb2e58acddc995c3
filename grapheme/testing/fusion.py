"""Cases for the kernels of the group ``cortex`` that fuse brains."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from grapheme.fusion_arrays import FusionArrays, FusionLayout
from grapheme.selection import get_backend
from grapheme.testing.case import Case, Named

SIZES = {
    "3 brains float64": (FusionLayout(3, 6, 5), 19, "float64"),
    "3 brains float32": (FusionLayout(3, 6, 5), 19, "float32"),
    "one brain, one sample float64": (FusionLayout(1, 4, 3), 1, "float64"),
}
SHARE = 0.6
"""How often a brain fires; on some samples none does."""


def cases() -> Iterator[Case]:
    """Yield every case."""
    oracle = get_backend("numpy")
    for seed, (name, (layout, samples, dtype)) in enumerate(SIZES.items()):
        rng = np.random.default_rng(seed)
        rows = _rows(layout.brains, samples, rng)
        fires, parameters = len(rows.brains), rng.normal(size=layout.size).astype(dtype)
        embeddings, contexts = (rng.normal(size=(n, layout.embed)).astype(dtype) for n in (fires, samples))
        given = (layout, rows, parameters, embeddings)
        fused = oracle.kernel("cortex.fuse")(*given)
        weights = rng.normal(size=fires).astype(dtype)
        yield Case("cortex.fuse", name, given, _fused)
        yield Case("cortex.fuse_grad", name, (*given, fused, weights, contexts), _grads)
        yield Case("cortex.collaborate", name, (layout, rows, embeddings), _collaboration)


def _rows(brains: int, samples: int, rng: np.random.Generator) -> FusionArrays:
    fired = rng.random((samples, brains)) < SHARE
    fired[0] = True
    offsets = np.concatenate([[0], np.cumsum(fired.sum(axis=1))])
    return FusionArrays(offsets, np.nonzero(fired)[1].astype(np.int32), rng.random(int(fired.sum())))


def _fused(
    sums: np.ndarray, weights: np.ndarray, mixtures: np.ndarray, under: np.ndarray, contexts: np.ndarray
) -> Named:
    return {"sums": sums, "weights": weights, "mixtures": mixtures, "sums of samples": under, "contexts": contexts}


def _grads(embeddings: np.ndarray, parts: np.ndarray) -> Named:
    return {"gradient of the embeddings": embeddings, "gradient of the parameters, by group": parts}


def _collaboration(distances: np.ndarray, shortfalls: np.ndarray, apart: np.ndarray, together: np.ndarray) -> Named:
    return {
        "distances": distances,
        "shortfalls": shortfalls,
        "gradient of the distances": apart,
        "gradient of the shortfalls": together,
    }
