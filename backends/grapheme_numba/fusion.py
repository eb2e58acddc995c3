"""Brains fused by attention, and how they collaborate, compiled; a group of samples is one piece of work."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from grapheme.arrays import Floats
from grapheme.kernels.cortex import EPSILON, SLOPE, SPREAD
from grapheme.kernels.fusion_arrays import FusionArrays, FusionLayout
from grapheme.kernels.graph_arrays import GROUP
from grapheme_numba.examples import groups_of, on_each_thread
from grapheme_numba.products import add_outer, add_product

Fused = tuple[Floats, Floats, Floats, Floats, Floats]


def fuse(layout: FusionLayout, rows: FusionArrays, parameters: Floats, embeddings: Floats) -> Fused:
    """Return the sums of rows, weights, mixtures, sums of samples and contexts."""
    dtype = parameters.dtype
    sums = np.empty((len(rows.brains), layout.hidden), dtype)
    weights = np.empty(len(rows.brains), dtype)
    mixtures, projected, contexts = (np.empty((len(rows), layout.embed), dtype) for _ in range(3))
    given = (rows.offsets, rows.brains, rows.confidence.astype(dtype), *layout.views(parameters).values(), embeddings)
    made = (sums, weights, mixtures, projected, contexts)
    on_each_thread(rows.offsets, lambda groups: _fuse(*given, *made, groups))
    return made


def fuse_grad(
    layout: FusionLayout, rows: FusionArrays, parameters: Floats, embeddings: Floats, fused: Fused,
    grad_weights: Floats, grad_contexts: Floats,
) -> tuple[Floats, Floats]:  # fmt: skip
    """Pull the gradients of weights and contexts back to embeddings and parameters."""
    p = layout.views(parameters)
    turned = tuple(np.ascontiguousarray(p[name].T) for name in ("attend", "project"))
    grad = np.empty_like(embeddings)
    parts = np.zeros((groups_of(len(rows)), layout.size), parameters.dtype)
    places = tuple(block.offset for block in layout.blocks.values())
    given = (rows.offsets, rows.brains, rows.confidence.astype(parameters.dtype), *turned, p["query"], embeddings)
    seen = (*fused[:4], grad_weights, grad_contexts)
    on_each_thread(rows.offsets, lambda groups: _fuse_grad(*given, *seen, grad, parts, places, groups))
    return grad, parts


def collaborate(layout: FusionLayout, rows: FusionArrays, embeddings: Floats) -> tuple[Floats, Floats, Floats, Floats]:
    """Return distances, shortfalls and their gradients."""
    distances, shortfalls = np.zeros(len(rows), embeddings.dtype), np.zeros(layout.brains, embeddings.dtype)
    apart, together = np.zeros_like(embeddings), np.zeros_like(embeddings)
    on_each_thread(rows.offsets, lambda groups: _distances(rows.offsets, embeddings, distances, apart, groups))
    _shortfalls(rows.brains, embeddings, shortfalls, together)
    return distances, shortfalls, apart, together


@njit(cache=True, nogil=True)
def _fuse(
    offsets: Any, brains: Any, confidence: Any, attend: Any, identity: Any, trust: Any, query: Any, project: Any,
    bias: Any, embeddings: Any, sums: Any, weights: Any, mixtures: Any, projected: Any, contexts: Any,
    groups: Any,
) -> None:  # fmt: skip
    samples, hidden = offsets.shape[0] - 1, query.shape[0]
    slope, zero = embeddings.dtype.type(SLOPE), embeddings.dtype.type(0)
    for group in groups:
        for sample in range(group * GROUP, min((group + 1) * GROUP, samples)):
            begin, end = offsets[sample], offsets[sample + 1]
            for row in range(begin, end):
                total = sums[row]
                for j in range(hidden):
                    total[j] = identity[brains[row], j] + confidence[row] * trust[0, j]
                add_product(embeddings[row], attend, total)
                score = zero
                for j in range(hidden):
                    score += (total[j] if total[j] > zero else slope * total[j]) * query[j, 0]
                weights[row] = score
            _softmax(weights[begin:end])
            mixtures[sample] = zero
            for row in range(begin, end):
                for j in range(bias.shape[0]):
                    mixtures[sample, j] += weights[row] * embeddings[row, j]
            projected[sample] = bias
            add_product(mixtures[sample], project, projected[sample])
            for j in range(bias.shape[0]):
                value = projected[sample, j]
                contexts[sample, j] = value if value > zero else slope * value


@njit(cache=True, nogil=True)
def _softmax(values: Any) -> None:
    if not values.shape[0]:
        return
    largest = values[0]
    for i in range(1, values.shape[0]):
        largest = max(largest, values[i])
    scale = values.dtype.type(0)
    for i in range(values.shape[0]):
        values[i] = np.exp(values[i] - largest)
        scale += values[i]
    for i in range(values.shape[0]):
        values[i] /= scale


@njit(cache=True, nogil=True)
def _fuse_grad(
    offsets: Any, brains: Any, confidence: Any, attend_turned: Any, project_turned: Any, query: Any, embeddings: Any,
    sums: Any, weights: Any, mixtures: Any, projected: Any, grad_weights: Any, grad_contexts: Any,
    grad: Any, parts: Any, places: Any, groups: Any,
) -> None:  # fmt: skip
    samples, hidden, embed = offsets.shape[0] - 1, query.shape[0], embeddings.shape[1]
    slope, zero = embeddings.dtype.type(SLOPE), embeddings.dtype.type(0)
    below, mixture = np.empty(embed, grad.dtype), np.empty(embed, grad.dtype)
    pulled = np.empty(hidden, grad.dtype)
    for group in groups:
        part = parts[group]
        grad_attend = part[places[0] : places[1]].reshape(embed, hidden)
        grad_trust, grad_query = part[places[2] : places[3]], part[places[3] : places[4]]
        grad_project, grad_bias = part[places[4] : places[5]].reshape(embed, embed), part[places[5] :]
        for sample in range(group * GROUP, min((group + 1) * GROUP, samples)):
            begin, end = offsets[sample], offsets[sample + 1]
            for j in range(embed):
                value = grad_contexts[sample, j]
                below[j] = value if projected[sample, j] > zero else slope * value
                grad_bias[j] += below[j]
            add_outer(mixtures[sample], below, grad_project)
            mixture[:] = zero
            add_product(below, project_turned, mixture)
            average = zero
            for row in range(begin, end):
                average += weights[row] * _above(row, grad_weights, embeddings, mixture)
            for row in range(begin, end):
                score = weights[row] * (_above(row, grad_weights, embeddings, mixture) - average)
                own = places[1] + brains[row] * hidden
                for j in range(hidden):
                    positive = sums[row, j] > zero
                    grad_query[j] += score * (sums[row, j] if positive else slope * sums[row, j])
                    pulled[j] = score * query[j, 0] * (grad.dtype.type(1) if positive else slope)
                    grad_trust[j] += confidence[row] * pulled[j]
                    part[own + j] += pulled[j]
                add_outer(embeddings[row], pulled, grad_attend)
                for j in range(embed):
                    grad[row, j] = weights[row] * mixture[j]
                add_product(pulled, attend_turned, grad[row])


@njit(cache=True, nogil=True)
def _above(row: int, grad_weights: Any, embeddings: Any, mixture: Any) -> Any:
    """Return the gradient of a row's weight."""
    total = grad_weights[row]
    for j in range(mixture.shape[0]):
        total += embeddings[row, j] * mixture[j]
    return total


@njit(cache=True, nogil=True)
def _distances(offsets: Any, embeddings: Any, distances: Any, apart: Any, groups: Any) -> None:
    samples, embed = offsets.shape[0] - 1, embeddings.shape[1]
    for group in groups:
        for sample in range(group * GROUP, min((group + 1) * GROUP, samples)):
            begin, end = offsets[sample], offsets[sample + 1]
            pairs = (end - begin) * (end - begin - 1) // 2
            share = embeddings.dtype.type(1) / embeddings.dtype.type(max(1, pairs * embed))
            for a in range(begin, end):
                for b in range(a + 1, end):
                    for j in range(embed):
                        difference = embeddings[a, j] - embeddings[b, j]
                        distances[sample] += share * difference * difference
                        apart[a, j] += 2 * share * difference
                        apart[b, j] -= 2 * share * difference


@njit(cache=True, nogil=True)
def _shortfalls(brains: Any, embeddings: Any, shortfalls: Any, together: Any) -> None:
    """Go over the batch brain by brain; it is little work, and all of it belongs together."""
    rows, embed = embeddings.shape
    kind = embeddings.dtype.type
    zero, spread = kind(0), kind(SPREAD)
    average, deviation = np.empty(embed, embeddings.dtype), np.empty(embed, embeddings.dtype)
    for brain in range(shortfalls.shape[0]):
        average[:] = zero
        deviation[:] = zero
        count = 0
        for row in range(rows):
            if brains[row] == brain:
                count += 1
                for j in range(embed):
                    average[j] += embeddings[row, j]
        if count < 2:
            continue
        for j in range(embed):
            average[j] /= kind(count)
        for row in range(rows):
            if brains[row] == brain:
                for j in range(embed):
                    deviation[j] += (embeddings[row, j] - average[j]) * (embeddings[row, j] - average[j])
        for j in range(embed):
            deviation[j] = np.sqrt(deviation[j] / kind(count) + kind(EPSILON))
            if deviation[j] < spread:
                shortfalls[brain] += (spread - deviation[j]) / kind(embed)
        for row in range(rows):
            if brains[row] == brain:
                for j in range(embed):
                    if deviation[j] < spread:
                        together[row, j] = -(embeddings[row, j] - average[j]) / (deviation[j] * kind(count * embed))
