"""An estimate of how many cliques there are, by random descents (Knuth 1975), where to count would take too long."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from grapheme.arrays import Ints
from grapheme.kernels.csr import Offsets

PROBES = 100
SEED = 0


def subsets(size: Any, k: int) -> NDArray[np.float64]:
    """Return how many subsets of k elements a set of each size has."""
    result = np.ones(np.shape(size))
    for j in range(k):
        result = result * np.maximum(np.asarray(size) - j, 0) / (j + 1)
    return result


def estimate(indptr: Offsets, indices: Ints, k: int) -> float:
    """Return about how many k-cliques an orientation has: the mean weight of probes, unbiased, the same every time."""
    rng = np.random.default_rng(SEED)
    share = subsets(np.diff(indptr), k - 1)
    starts = rng.choice(len(share), PROBES, p=share / share.sum())
    return float(share.sum() * np.mean([_probe(indptr, indices, k, int(u), rng) for u in starts]))


def _probe(indptr: Offsets, indices: Ints, k: int, start: int, rng: np.random.Generator) -> float:
    """Return the number of cliques that one descent stands for, as a share of the subsets that ``start`` could make."""
    candidates = indices[indptr[start] : indptr[start + 1]]
    share = 1 / float(subsets(len(candidates), k - 1))
    for missing in range(k - 1, 1, -1):
        # A candidate is chosen as often as it is the smallest of a subset: all steps then weigh about the same.
        smallest = subsets(np.arange(len(candidates))[::-1], missing - 1)
        sums = np.cumsum(smallest)
        if not len(sums) or sums[-1] == 0:
            return 0.0
        place = int(np.searchsorted(sums, rng.random() * sums[-1], side="right"))
        share *= sums[-1] / smallest[place]
        after = indices[indptr[candidates[place]] : indptr[candidates[place] + 1]]
        candidates = np.intersect1d(candidates[place + 1 :], after, assume_unique=True)
    return share * len(candidates)
