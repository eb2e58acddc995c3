"""Brains fused by attention, and how they collaborate, compiled; a group of samples is one piece of work."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import njit

from grapheme.arrays import Floats
from grapheme.kernels.cortex import EPSILON, SLOPE, SPREAD
from grapheme.kernels.fusion_arrays import FusionArrays, FusionLayout
from grapheme.kernels.graph_arrays import GROUP
from grapheme_numba.examples import block, groups_of, on_each_thread
from grapheme_numba.products import add_outer, add_product

Fused = tuple[Floats, Floats, Floats, Floats, Floats]


class Rows(NamedTuple):
    """Rows as ``FusionArrays`` holds them, confidence in the precision of the parameters."""

    offsets: Any
    """(samples + 1,)"""
    brains: Any
    """(rows,)"""
    confidence: Any
    """(rows,)"""


class Blocks(NamedTuple):
    """Something for each block of a ``FusionLayout``: its parameters, or where it begins."""

    attend: Any
    identity: Any
    trust: Any
    query: Any
    project: Any
    bias: Any


class Turned(NamedTuple):
    """Transposes of the matrices that gradients go back through."""

    attend: Any
    project: Any


class Made(NamedTuple):
    """All that ``fuse`` makes."""

    sums: Any
    """(rows, hidden)"""
    weights: Any
    """(rows,)"""
    mixtures: Any
    """(samples, embed)"""
    projected: Any
    """(samples, embed)"""
    contexts: Any
    """(samples, embed)"""


class Above(NamedTuple):
    """Gradients that arrive."""

    weights: Any
    """(rows,)"""
    contexts: Any
    """(samples, embed)"""


def fuse(layout: FusionLayout, rows: FusionArrays, parameters: Floats, embeddings: Floats) -> Fused:
    """Return the sums of rows, weights, mixtures, sums of samples and contexts."""
    dtype = parameters.dtype
    sums = np.empty((len(rows.brains), layout.hidden), dtype)
    weights = np.empty(len(rows.brains), dtype)
    mixtures, projected, contexts = (np.empty((len(rows), layout.embed), dtype) for _ in range(3))
    arrays, attention = _arrays(rows, dtype), Blocks(**layout.views(parameters))
    made = Made(sums, weights, mixtures, projected, contexts)
    on_each_thread(rows.offsets, lambda groups: _fuse(arrays, attention, embeddings, made, groups))
    return sums, weights, mixtures, projected, contexts


def fuse_grad(
    layout: FusionLayout, rows: FusionArrays, parameters: Floats, embeddings: Floats, fused: Fused,
    grad_weights: Floats, grad_contexts: Floats,
) -> tuple[Floats, Floats]:  # fmt: skip
    """Pull the gradients of weights and contexts back to embeddings and parameters."""
    arrays, attention = _arrays(rows, parameters.dtype), Blocks(**layout.views(parameters))
    turned = Turned(*(np.ascontiguousarray(getattr(attention, name).T) for name in Turned._fields))
    places = Blocks(**{name: block.offset for name, block in layout.blocks.items()})
    made, above = Made(*fused), Above(grad_weights, grad_contexts)
    grad = np.empty_like(embeddings)
    parts = np.zeros((groups_of(len(rows)), layout.size), parameters.dtype)
    on_each_thread(
        rows.offsets,
        lambda groups: _fuse_grad(arrays, attention, turned, embeddings, made, above, grad, parts, places, groups),
    )
    return grad, parts


def _arrays(rows: FusionArrays, dtype: np.dtype) -> Rows:
    return Rows(rows.offsets, rows.brains, rows.confidence.astype(dtype))


def collaborate(layout: FusionLayout, rows: FusionArrays, embeddings: Floats) -> tuple[Floats, Floats, Floats, Floats]:
    """Return distances, shortfalls and their gradients."""
    distances, shortfalls = np.zeros(len(rows), embeddings.dtype), np.zeros(layout.brains, embeddings.dtype)
    apart, together = np.zeros_like(embeddings), np.zeros_like(embeddings)
    on_each_thread(rows.offsets, lambda groups: _distances(rows.offsets, embeddings, distances, apart, groups))
    _shortfalls(rows.brains, embeddings, shortfalls, together)
    return distances, shortfalls, apart, together


@njit(cache=True, nogil=True)
def _fuse(rows: Rows, attention: Blocks, embeddings: Any, made: Made, groups: Any) -> None:
    """Fill what is made of the samples of some groups."""
    offsets, brains, confidence = rows
    attend, identity, trust, query, project, bias = attention
    sums, weights, mixtures, projected, contexts = made
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
    rows: Rows, attention: Blocks, turned: Turned, embeddings: Any, made: Made, above: Above, grad: Any, parts: Any,
    places: Blocks, groups: Any,
) -> None:  # fmt: skip
    """Fill the gradients of the rows of some groups, and add those of parameters to their parts."""
    offsets, brains, confidence = rows
    sums, weights, mixtures, projected, _ = made
    grad_weights, grad_contexts, query = above.weights, above.contexts, attention.query
    samples, hidden, embed = offsets.shape[0] - 1, query.shape[0], embeddings.shape[1]
    slope, zero = embeddings.dtype.type(SLOPE), embeddings.dtype.type(0)
    below, mixture = np.empty(embed, grad.dtype), np.empty(embed, grad.dtype)
    pulled = np.empty(hidden, grad.dtype)
    for group in groups:
        part = parts[group]
        grad_attend, grad_identity = (
            block(part, places.attend, attention.attend),
            block(part, places.identity, attention.identity),
        )
        grad_trust, grad_query = block(part, places.trust, attention.trust), block(part, places.query, query)
        grad_project, grad_bias = (
            block(part, places.project, attention.project),
            block(part, places.bias, attention.bias),
        )
        for sample in range(group * GROUP, min((group + 1) * GROUP, samples)):
            begin, end = offsets[sample], offsets[sample + 1]
            for j in range(embed):
                value = grad_contexts[sample, j]
                below[j] = value if projected[sample, j] > zero else slope * value
                grad_bias[j] += below[j]
            add_outer(mixtures[sample], below, grad_project)
            mixture[:] = zero
            add_product(below, turned.project, mixture)
            average = zero
            for row in range(begin, end):
                average += weights[row] * _above(row, grad_weights, embeddings, mixture)
            for row in range(begin, end):
                score = weights[row] * (_above(row, grad_weights, embeddings, mixture) - average)
                for j in range(hidden):
                    positive = sums[row, j] > zero
                    grad_query[j, 0] += score * (sums[row, j] if positive else slope * sums[row, j])
                    pulled[j] = score * query[j, 0] * (grad.dtype.type(1) if positive else slope)
                    grad_trust[0, j] += confidence[row] * pulled[j]
                    grad_identity[brains[row], j] += pulled[j]
                add_outer(embeddings[row], pulled, grad_attend)
                for j in range(embed):
                    grad[row, j] = weights[row] * mixture[j]
                add_product(pulled, turned.attend, grad[row])


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
