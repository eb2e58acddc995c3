"""Brains fused by attention, and how they collaborate; a sample at a time."""

from __future__ import annotations

from itertools import combinations

import numpy as np

from grapheme.arrays import Floats
from grapheme.kernels.cortex import EPSILON, SLOPE, SPREAD
from grapheme.kernels.fusion_arrays import FusionArrays, FusionLayout
from grapheme.kernels.graph_arrays import GROUP

Fused = tuple[Floats, Floats, Floats, Floats, Floats]


def fuse(layout: FusionLayout, rows: FusionArrays, parameters: Floats, embeddings: Floats) -> Fused:
    """Return the sums of rows, weights, mixtures, sums of samples and contexts."""
    p = layout.views(parameters)
    trusted = rows.confidence.astype(parameters.dtype)[:, None] * p["trust"]
    sums = embeddings @ p["attend"] + p["identity"][rows.brains] + trusted
    scores = (_active(sums) @ p["query"])[:, 0]
    weights = np.zeros_like(scores)
    mixtures = np.zeros((len(rows), layout.embed), parameters.dtype)
    for sample in range(len(rows)):
        mine = slice(*rows.offsets[sample : sample + 2])
        if mine.start < mine.stop:
            powers = np.exp(scores[mine] - scores[mine].max())
            weights[mine] = powers / powers.sum()
            mixtures[sample] = weights[mine] @ embeddings[mine]
    projected = mixtures @ p["project"] + p["bias"]
    return sums, weights, mixtures, projected, _active(projected)


def fuse_grad(
    layout: FusionLayout, rows: FusionArrays, parameters: Floats, embeddings: Floats, fused: Fused,
    grad_weights: Floats, grad_contexts: Floats,
) -> tuple[Floats, Floats]:  # fmt: skip
    """Pull the gradients of weights and contexts back to embeddings and parameters."""
    p, (sums, weights, mixtures, projected, _) = layout.views(parameters), fused
    grad = np.zeros_like(embeddings)
    parts = np.zeros((-(-len(rows) // GROUP), layout.size), parameters.dtype)
    confidence = rows.confidence.astype(parameters.dtype)
    for sample in range(len(rows)):
        mine, g = slice(*rows.offsets[sample : sample + 2]), layout.views(parts[sample // GROUP])
        below = grad_contexts[sample] * _slope(projected[sample])
        g["project"] += np.outer(mixtures[sample], below)
        g["bias"] += below
        mixture = p["project"] @ below
        above = grad_weights[mine] + embeddings[mine] @ mixture
        scores = weights[mine] * (above - weights[mine] @ above)
        hidden = np.outer(scores, p["query"][:, 0]) * _slope(sums[mine])
        g["query"] += _active(sums[mine]).T @ scores[:, None]
        g["attend"] += embeddings[mine].T @ hidden
        g["trust"] += confidence[mine][None] @ hidden
        np.add.at(g["identity"], rows.brains[mine], hidden)
        grad[mine] = np.outer(weights[mine], mixture) + hidden @ p["attend"].T
    return grad, parts


def collaborate(layout: FusionLayout, rows: FusionArrays, embeddings: Floats) -> tuple[Floats, Floats, Floats, Floats]:
    """Return distances, shortfalls and their gradients."""
    distances, apart = np.zeros(len(rows), embeddings.dtype), np.zeros_like(embeddings)
    for sample in range(len(rows)):
        pairs = list(combinations(range(*rows.offsets[sample : sample + 2]), 2))
        for a, b in pairs:
            difference = embeddings[a] - embeddings[b]
            distances[sample] += (difference * difference).mean() / len(pairs)
            apart[a] += 2 * difference / (layout.embed * len(pairs))
            apart[b] -= 2 * difference / (layout.embed * len(pairs))
    shortfalls, together = np.zeros(layout.brains, embeddings.dtype), np.zeros_like(embeddings)
    for brain in range(layout.brains):
        own = np.flatnonzero(rows.brains == brain)
        if len(own) > 1:
            centred = embeddings[own] - embeddings[own].mean(axis=0)
            deviation = np.sqrt((centred * centred).mean(axis=0) + embeddings.dtype.type(EPSILON))
            short = deviation < SPREAD
            shortfalls[brain] = np.where(short, SPREAD - deviation, 0).mean()
            together[own] = np.where(short, -centred / (deviation * len(own) * layout.embed), 0)
    return distances, shortfalls, apart, together


def _active(sums: Floats) -> Floats:
    return np.where(sums > 0, sums, sums.dtype.type(SLOPE) * sums)


def _slope(sums: Floats) -> Floats:
    return np.where(sums > 0, sums.dtype.type(1), sums.dtype.type(SLOPE))
