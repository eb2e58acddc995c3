"""Message passing, compiled: all layers of an example while it is in cache."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from grapheme.arrays import Floats
from grapheme.kernels.cortex import EPSILON, SLOPE
from grapheme.kernels.graph_arrays import GROUP, GraphArrays
from grapheme.kernels.parameters import EncoderLayout
from grapheme_numba.examples import Work, groups_of, on_each_thread
from grapheme_numba.products import add_outer, add_product


def encode(layout: EncoderLayout, graphs: GraphArrays, parameters: Floats) -> tuple[Floats, Floats]:
    """Return states and sums of all nodes."""
    result, work = encode_work(layout, graphs, parameters)
    on_each_thread(graphs.offsets, work)
    return result


def encode_work(layout: EncoderLayout, graphs: GraphArrays, parameters: Floats) -> tuple[tuple[Floats, Floats], Work]:
    """Return arrays for states and sums, and the work that fills them."""
    p = layout.views(parameters)
    states = np.empty((layout.layers + 1, graphs.nodes, layout.width), parameters.dtype)
    sums = np.empty((layout.layers, graphs.nodes, layout.width), parameters.dtype)
    network = (*_arrays(graphs), *p.values(), layout.mean, layout.norm)
    return (states, sums), lambda groups: _encode(*network, states, sums, groups)


def encode_grad(
    layout: EncoderLayout, graphs: GraphArrays, parameters: Floats, states: Floats, sums: Floats, grad: Floats
) -> Floats:
    """Pull the gradient of the last state back to the parameters."""
    parts, work = encode_grad_work(layout, graphs, parameters, states, sums, grad)
    on_each_thread(graphs.offsets, work)
    return parts


def encode_grad_work(
    layout: EncoderLayout, graphs: GraphArrays, parameters: Floats, states: Floats, sums: Floats, grad: Floats
) -> tuple[Floats, Work]:
    """Return partial sums that are 0, and the work that adds to them."""
    p = layout.views(parameters)
    turned = np.ascontiguousarray(p["weights"].swapaxes(2, 3))
    parts = np.zeros((groups_of(len(graphs)), layout.size), parameters.dtype)
    places = tuple(block.offset for block in layout.blocks.values())
    network = (*_arrays(graphs), turned, p["gain"], p["shift"], layout.mean, layout.norm)
    return parts, lambda groups: _encode_grad(*network, states, sums, grad, parts, places, groups)


def _arrays(graphs: GraphArrays) -> tuple[np.ndarray, ...]:
    g = graphs
    return g.offsets, g.labels, g.into, g.out_of, g.indptr, g.sources, g.relations


@njit(cache=True, nogil=True)
def _encode(
    offsets: Any, labels: Any, into: Any, out_of: Any, indptr: Any, sources: Any, relations: Any,
    label: Any, into_rows: Any, out_rows: Any, weights: Any, bias: Any, gain: Any, shift: Any, mean: bool, norm: bool,
    states: Any, sums: Any, groups: Any,
) -> None:  # fmt: skip
    examples, width = offsets.shape[0] - 1, bias.shape[1]
    gathered, shown = np.empty(width, states.dtype), np.empty(width, states.dtype)
    slope, zero = states.dtype.type(SLOPE), states.dtype.type(0)
    for group in groups:
        begin, end = offsets[group * GROUP], offsets[min((group + 1) * GROUP, examples)]
        for v in range(begin, end):
            for j in range(width):
                states[0, v, j] = label[labels[v], j] + into_rows[into[v], j] + out_rows[out_of[v], j]
        for k in range(sums.shape[0]):
            w = min(k, weights.shape[0] - 1)
            for v in range(begin, end):
                total = sums[k, v]
                total[:] = bias[w]
                add_product(states[k, v], weights[w, 0], total)
                message = indptr[v]
                while message < indptr[v + 1]:
                    relation = relations[message]
                    message = _gather(message, indptr[v + 1], sources, relations, states[k], gathered, mean)
                    add_product(gathered, weights[w, 1 + relation], total)
                if norm:
                    _normalise(total, shown)
                    for j in range(width):
                        shown[j] = shown[j] * gain[w, j] + shift[w, j]
                else:
                    shown[:] = total
                for j in range(width):
                    states[k + 1, v, j] = states[k, v, j] + (shown[j] if shown[j] > zero else slope * shown[j])


@njit(cache=True, nogil=True)
def _gather(message: int, end: int, sources: Any, relations: Any, state: Any, gathered: Any, mean: bool) -> int:
    """Sum or average the states of the messages of one relation, and return where the next relation begins."""
    begin, relation = message, relations[message]
    gathered[:] = state[sources[message]]
    message += 1
    while message < end and relations[message] == relation:
        source = sources[message]
        for j in range(gathered.shape[0]):
            gathered[j] += state[source, j]
        message += 1
    if mean and message - begin > 1:
        share = gathered.dtype.type(1) / gathered.dtype.type(message - begin)
        for j in range(gathered.shape[0]):
            gathered[j] *= share
    return message


@njit(cache=True, nogil=True)
def _normalise(total: Any, normal: Any) -> Any:
    """Write ``total`` less its mean and divided by its deviation to ``normal``, and return the deviation."""
    width = total.shape[0]
    size = total.dtype.type(width)
    average, variance = total.dtype.type(0), total.dtype.type(0)
    for j in range(width):
        average += total[j]
    average /= size
    for j in range(width):
        variance += (total[j] - average) * (total[j] - average)
    deviation = np.sqrt(variance / size + total.dtype.type(EPSILON))
    for j in range(width):
        normal[j] = (total[j] - average) / deviation
    return deviation


@njit(cache=True, nogil=True)
def _encode_grad(
    offsets: Any, labels: Any, into: Any, out_of: Any, indptr: Any, sources: Any, relations: Any,
    turned: Any, gain: Any, shift: Any, mean: bool, norm: bool, states: Any, sums: Any, grad: Any,
    parts: Any, places: Any, groups: Any,
) -> None:  # fmt: skip
    examples, width = offsets.shape[0] - 1, grad.shape[1]
    gathered, pulled, below = np.empty(width, grad.dtype), np.empty(width, grad.dtype), np.empty(width, grad.dtype)
    for group in groups:
        begin, end = offsets[group * GROUP], offsets[min((group + 1) * GROUP, examples)]
        part = parts[group]
        label, into_rows, out_rows = places[0], places[1], places[2]
        grad_weights = part[places[3] : places[4]].reshape(turned.shape)
        grad_bias = part[places[4] : places[5]].reshape(turned.shape[0], width)
        grad_gain = part[places[5] : places[6]].reshape(gain.shape)
        grad_shift = part[places[6] :].reshape(gain.shape)
        above = grad[begin:end].copy()
        under = np.empty_like(above)
        for k in range(sums.shape[0] - 1, -1, -1):
            w = min(k, turned.shape[0] - 1)
            under[:] = above
            for v in range(begin, end):
                _through_activation(
                    w, sums[k, v], above[v - begin], gain, shift, norm, below, gathered,
                    grad_gain, grad_shift,
                )  # fmt: skip
                for j in range(width):
                    grad_bias[w, j] += below[j]
                add_outer(states[k, v], below, grad_weights[w, 0])
                add_product(below, turned[w, 0], under[v - begin])
                message = indptr[v]
                while message < indptr[v + 1]:
                    start, relation = message, relations[message]
                    message = _gather(message, indptr[v + 1], sources, relations, states[k], gathered, mean)
                    add_outer(gathered, below, grad_weights[w, 1 + relation])
                    pulled[:] = 0
                    add_product(below, turned[w, 1 + relation], pulled)
                    if mean and message - start > 1:
                        pulled *= grad.dtype.type(1) / grad.dtype.type(message - start)
                    for arc in range(start, message):
                        source = sources[arc] - begin
                        for j in range(width):
                            under[source, j] += pulled[j]
            above, under = under, above
        for v in range(begin, end):
            for j in range(width):
                value = above[v - begin, j]
                part[label + labels[v] * width + j] += value
                part[into_rows + into[v] * width + j] += value
                part[out_rows + out_of[v] * width + j] += value


@njit(cache=True, nogil=True)
def _through_activation(
    w: int, total: Any, above: Any, gain: Any, shift: Any, norm: bool, below: Any, normal: Any,
    grad_gain: Any, grad_shift: Any,
) -> None:  # fmt: skip
    """Write the gradient of a node's sums to ``below``, given that of its activations."""
    width = total.shape[0]
    slope, zero = total.dtype.type(SLOPE), total.dtype.type(0)
    if not norm:
        for j in range(width):
            below[j] = above[j] if total[j] > zero else slope * above[j]
        return
    deviation = _normalise(total, normal)
    average, along = zero, zero
    for j in range(width):
        shown = normal[j] * gain[w, j] + shift[w, j]
        value = above[j] if shown > zero else slope * above[j]
        grad_gain[w, j] += value * normal[j]
        grad_shift[w, j] += value
        below[j] = value * gain[w, j]
        average += below[j]
        along += below[j] * normal[j]
    average /= total.dtype.type(width)
    along /= total.dtype.type(width)
    for j in range(width):
        below[j] = (below[j] - average - normal[j] * along) / deviation
