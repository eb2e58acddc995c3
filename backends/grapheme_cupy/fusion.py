"""Brains fused by attention, and how they collaborate: rows of all samples at once, summed up sample by sample."""

from __future__ import annotations

import functools
from dataclasses import dataclass

import cupy
import numpy as np

from grapheme.arrays import Array
from grapheme.kernels.cortex import EPSILON, SLOPE, SPREAD
from grapheme.kernels.fusion_arrays import FusionArrays, FusionLayout
from grapheme_cupy.rows import (
    Segments,
    active,
    add_outer,
    by_threads,
    by_warps,
    gather,
    group_starts,
    on_device,
    product,
    through_active,
)

Fused = tuple[Array, Array, Array, Array, Array]


def fuse(layout: FusionLayout, rows: FusionArrays, parameters: Array, embeddings: Array) -> Fused:
    """Return the sums of rows, weights, mixtures, sums of samples and contexts."""
    plan, p = (
        _plan(layout, rows, parameters.dtype.name, parameters.device.id),
        functools.partial(_block, layout, parameters),
    )
    count, samples, embed = len(rows.brains), len(rows), layout.embed
    sums = product(embeddings, p("attend"), (embed, layout.hidden))
    gather(p("identity"), plan.identity, layout.hidden, sums, adds=True)
    product(plan.confidence, p("trust"), (1, layout.hidden), out=sums, adds=True)
    scores = product(active(sums, SLOPE), p("query"), (layout.hidden, 1))
    weights = cupy.empty(count, parameters.dtype)
    by_threads("rows_softmax", samples, weights.dtype, scores, plan.samples.starts, weights, np.int64(samples))
    mixtures = gather(
        embeddings, plan.weighed(weights, plan.samples.targets), embed, cupy.empty((samples, embed), parameters.dtype)
    )
    projected = product(mixtures, p("project"), (embed, embed), bias=p("bias"))
    return sums, weights, mixtures, projected, active(projected, SLOPE)


def fuse_grad(
    layout: FusionLayout, rows: FusionArrays, parameters: Array, embeddings: Array, fused: Fused,
    grad_weights: Array, grad_contexts: Array,
) -> tuple[Array, Array]:  # fmt: skip
    """Pull the gradients of weights and contexts back to embeddings and parameters."""
    plan, p = (
        _plan(layout, rows, parameters.dtype.name, parameters.device.id),
        functools.partial(_block, layout, parameters),
    )
    (sums, weights, mixtures, projected, _), embed, attend = fused, layout.embed, (layout.embed, layout.hidden)
    parts = cupy.zeros((plan.sample_starts.shape[0] - 1, layout.size), parameters.dtype)

    def add(name: str, x: Array | None, d: Array, shape: tuple[int, int], starts: Array) -> None:
        add_outer(x, d, shape, starts, parts, layout.blocks[name].offset)

    below = through_active(projected, grad_contexts, SLOPE)
    add("project", mixtures, below, (embed, embed), plan.sample_starts)
    add("bias", None, below, (1, embed), plan.sample_starts)
    mixture = product(below, p("project"), (embed, embed), transposed=True)
    scores = _scores_grad(plan, weights, grad_weights, embeddings, mixture)
    hidden = through_active(sums, product(scores, p("query"), (1, layout.hidden)), SLOPE)
    add("query", active(sums, SLOPE), scores, (layout.hidden, 1), plan.row_starts)
    add("attend", embeddings, hidden, attend, plan.row_starts)
    add("trust", plan.confidence, hidden, (1, layout.hidden), plan.row_starts)
    gather(hidden, plan.identity_grad, layout.hidden, parts, adds=True)
    grad = weights[:, None] * mixture[plan.sample_of]
    return product(hidden, p("attend"), attend[::-1], transposed=True, out=grad, adds=True), parts


def collaborate(layout: FusionLayout, rows: FusionArrays, embeddings: Array) -> tuple[Array, Array, Array, Array]:
    """Return distances, shortfalls and their gradients."""
    plan, (count, embed), samples = (
        _plan(layout, rows, embeddings.dtype.name, embeddings.device.id),
        embeddings.shape,
        len(rows),
    )
    distances, apart = cupy.empty(samples, embeddings.dtype), cupy.empty_like(embeddings)
    starts, width = plan.samples.starts, np.int32(embed)
    by_warps("rows_distance", samples, apart.dtype, embeddings, starts, distances, np.int64(samples), width)
    by_threads(
        "rows_distance_grad", count * embed, apart.dtype, embeddings, plan.sample_of, starts, apart, np.int64(count),
        width,
    )  # fmt: skip
    shortfalls, together = _shortfalls(layout, plan, embeddings)
    return distances, shortfalls, apart, together


def _shortfalls(layout: FusionLayout, plan: _Plan, embeddings: Array) -> tuple[Array, Array]:
    """Return how far the deviation of each brain's embeddings stays below what it should be, and the gradient."""
    real, (brains, embed) = embeddings.dtype.type, (layout.brains, layout.embed)
    means, deviations = (cupy.empty((brains, embed), embeddings.dtype) for _ in range(2))
    by_threads(
        "rows_deviation", brains * embed, means.dtype, embeddings, plan.of_brains.rows, plan.of_brains.starts,
        real(EPSILON), means, deviations, np.int64(brains), np.int32(embed),
    )  # fmt: skip
    several = (plan.fired > 1)[:, None]
    missing = cupy.where(several & (deviations < SPREAD), real(SPREAD) - deviations, real(0))
    shortfalls = product(missing, cupy.full(embed, 1 / embed, embeddings.dtype), (embed, 1)).reshape(brains)
    scale = cupy.where(missing > 0, -1 / (deviations * plan.fired.astype(real)[:, None] * real(embed)), real(0))
    return shortfalls, (embeddings - means[plan.brains]) * scale[plan.brains]


def _scores_grad(plan: _Plan, weights: Array, grad_weights: Array, embeddings: Array, mixture: Array) -> Array:
    """Return the gradient (rows, 1) of the scores, through the softmax of each sample."""
    count, embed = embeddings.shape
    seen = cupy.empty(count, embeddings.dtype)
    by_threads(
        "rows_dot", count, seen.dtype, embeddings, mixture, plan.sample_of, seen, np.int64(count), np.int32(embed)
    )
    above = grad_weights + seen
    means = gather(above, plan.weighed(weights, plan.places), 1, cupy.empty(mixture.shape[0], above.dtype))
    return (weights * (above - means[plan.sample_of])).reshape(count, 1)


@dataclass(frozen=True, eq=False)
class _Plan:
    """Which brains fired on which samples, as the kernels walk through them, on the device."""

    sample_starts: Array
    """Where each group of samples begins, and then their rows."""
    row_starts: Array
    samples: Segments
    places: Array
    """(samples,): 0, 1, 2, ..., where a number of each sample goes."""
    sample_of: Array
    confidence: Array
    identity: Segments
    identity_grad: Segments
    brains: Array
    of_brains: Segments
    """The rows of each brain."""
    fired: Array
    """(brains,): how many rows that are."""

    def weighed(self, weights: Array, targets: Array) -> Segments:
        """Return the rows of each sample, to be summed up by weight."""
        return Segments(self.samples.rows, self.samples.starts, targets, weights)


@functools.lru_cache(maxsize=16)
def _plan(layout: FusionLayout, rows: FusionArrays, dtype: str, device: int) -> _Plan:
    """Return the plan of a batch on the current device, number ``device``, kept for the way back."""
    samples, count = len(rows), len(rows.brains)
    starts, every = group_starts(rows.offsets), np.arange(count)
    group = np.searchsorted(starts, every, side="right") - 1
    target = group * layout.size + layout.blocks["identity"].offset + rows.brains.astype(np.int64) * layout.hidden
    return _Plan(
        cupy.asarray(group_starts(np.arange(samples + 1))),
        cupy.asarray(starts),
        Segments.stretches(rows.offsets, layout.embed),
        cupy.arange(samples, dtype=np.int64),
        on_device(np.repeat(np.arange(samples), np.diff(rows.offsets))),
        cupy.asarray(rows.confidence.astype(dtype).reshape(-1, 1)),
        Segments.of(every * layout.hidden, rows.brains),
        Segments.of(target, every),
        on_device(rows.brains),
        _of_brains(layout, rows),
        cupy.asarray(np.bincount(rows.brains, minlength=layout.brains)),
    )


def _of_brains(layout: FusionLayout, rows: FusionArrays) -> Segments:
    """Return a segment for each brain, one that never fired included."""
    order = np.argsort(rows.brains, kind="stable")
    starts = np.searchsorted(rows.brains[order], np.arange(layout.brains + 1))
    return Segments(on_device(order), cupy.asarray(starts.astype(np.int64)), cupy.arange(layout.brains, dtype=np.int64))


def _block(layout: FusionLayout, parameters: Array, name: str) -> Array:
    block = layout.blocks[name]
    return parameters[block.offset : block.offset + block.size]
