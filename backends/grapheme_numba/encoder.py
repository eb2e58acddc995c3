"""Message passing, compiled: all layers of an example while it is in cache."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import njit

from grapheme.arrays import Floats
from grapheme.kernels.cortex import EPSILON, SLOPE
from grapheme.kernels.graph_arrays import GROUP, GraphArrays
from grapheme.kernels.parameters import EncoderLayout
from grapheme_numba.examples import Work, block, groups_of, on_each_thread
from grapheme_numba.products import add_outer, add_product


class Graphs(NamedTuple):
    """Graphs as ``GraphArrays`` holds them."""

    offsets: Any
    """(graphs + 1,)"""
    labels: Any
    """(nodes,)"""
    into: Any
    """(nodes,): in-degrees."""
    out_of: Any
    """(nodes,): out-degrees."""
    indptr: Any
    """(nodes + 1,): the messages that enter each node."""
    sources: Any
    """(messages,)"""
    relations: Any
    """(messages,)"""


class Blocks(NamedTuple):
    """Something for each block of an ``EncoderLayout``: its parameters, or where it begins."""

    label: Any
    into: Any
    out_of: Any
    weights: Any
    bias: Any
    gain: Any
    shift: Any


class Kind(NamedTuple):
    """What kind of network it is."""

    mean: bool
    norm: bool


class Scale(NamedTuple):
    """Gain and shift of normalised sums (layers, width), and their gradients."""

    gain: Any
    shift: Any
    grad_gain: Any
    grad_shift: Any


def encode(layout: EncoderLayout, graphs: GraphArrays, parameters: Floats) -> tuple[Floats, Floats]:
    """Return states and sums of all nodes."""
    result, work = encode_work(layout, graphs, parameters)
    on_each_thread(graphs.offsets, work)
    return result


def encode_work(layout: EncoderLayout, graphs: GraphArrays, parameters: Floats) -> tuple[tuple[Floats, Floats], Work]:
    """Return arrays for states and sums, and the work that fills them."""
    network = Blocks(**layout.views(parameters))
    states = np.empty((layout.layers + 1, graphs.nodes, layout.width), parameters.dtype)
    sums = np.empty((layout.layers, graphs.nodes, layout.width), parameters.dtype)
    arrays, kind = _arrays(graphs), Kind(layout.mean, layout.norm)
    return (states, sums), lambda groups: _encode(arrays, network, kind, states, sums, groups)


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
    network, kind = Blocks(**layout.views(parameters)), Kind(layout.mean, layout.norm)
    turned = np.ascontiguousarray(network.weights.swapaxes(2, 3))
    parts = np.zeros((groups_of(len(graphs)), layout.size), parameters.dtype)
    places = Blocks(**{name: block.offset for name, block in layout.blocks.items()})
    arrays = _arrays(graphs)
    return parts, lambda groups: _encode_grad(arrays, network, kind, turned, states, sums, grad, parts, places, groups)


def _arrays(graphs: GraphArrays) -> Graphs:
    return Graphs(*(getattr(graphs, name) for name in Graphs._fields))


@njit(cache=True, nogil=True)
def _encode(graphs: Graphs, network: Blocks, kind: Kind, states: Any, sums: Any, groups: Any) -> None:
    """Fill the states (layers + 1, nodes, width) and sums (layers, nodes, width) of some groups."""
    offsets, labels, into, out_of, indptr, sources, relations = graphs
    label, into_rows, out_rows, weights, bias, gain, shift = network
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
                    message = _gather(message, indptr[v + 1], sources, relations, states[k], gathered, kind.mean)
                    add_product(gathered, weights[w, 1 + relation], total)
                if kind.norm:
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
    graphs: Graphs, network: Blocks, kind: Kind, turned: Any, states: Any, sums: Any, grad: Any, parts: Any,
    places: Blocks, groups: Any,
) -> None:  # fmt: skip
    """Add the gradients of some groups to their ``parts (groups, parameters)``; ``turned`` are transposed weights.

    Invariant: before layer k, ``above`` is the gradient of the states that it wrote, and ``under`` gathers that of the
    states that it read.
    """
    offsets, labels, into, out_of, indptr, sources, relations = graphs
    examples, width = offsets.shape[0] - 1, grad.shape[1]
    gathered, pulled, below = np.empty(width, grad.dtype), np.empty(width, grad.dtype), np.empty(width, grad.dtype)
    for group in groups:
        begin, end = offsets[group * GROUP], offsets[min((group + 1) * GROUP, examples)]
        part = parts[group]
        grad_weights, grad_bias = block(part, places.weights, turned), block(part, places.bias, network.bias)
        scale = Scale(
            network.gain, network.shift,
            block(part, places.gain, network.gain), block(part, places.shift, network.shift),
        )  # fmt: skip
        above = grad[begin:end].copy()
        under = np.empty_like(above)
        for k in range(sums.shape[0] - 1, -1, -1):
            w = min(k, turned.shape[0] - 1)
            under[:] = above
            for v in range(begin, end):
                _through_activation(w, kind.norm, scale, sums[k, v], above[v - begin], below, gathered)
                for j in range(width):
                    grad_bias[w, j] += below[j]
                add_outer(states[k, v], below, grad_weights[w, 0])
                add_product(below, turned[w, 0], under[v - begin])
                message = indptr[v]
                while message < indptr[v + 1]:
                    start, relation = message, relations[message]
                    message = _gather(message, indptr[v + 1], sources, relations, states[k], gathered, kind.mean)
                    add_outer(gathered, below, grad_weights[w, 1 + relation])
                    pulled[:] = 0
                    add_product(below, turned[w, 1 + relation], pulled)
                    if kind.mean and message - start > 1:
                        pulled *= grad.dtype.type(1) / grad.dtype.type(message - start)
                    for arc in range(start, message):
                        source = sources[arc] - begin
                        for j in range(width):
                            under[source, j] += pulled[j]
            above, under = under, above
        for v in range(begin, end):
            for j in range(width):
                value = above[v - begin, j]
                part[places.label + labels[v] * width + j] += value
                part[places.into + into[v] * width + j] += value
                part[places.out_of + out_of[v] * width + j] += value


@njit(cache=True, nogil=True)
def _through_activation(w: int, norm: bool, scale: Scale, total: Any, above: Any, below: Any, normal: Any) -> None:
    """Write the gradient of a node's sums to ``below``, given that of its activations; ``normal`` is scratch memory."""
    gain, shift, grad_gain, grad_shift = scale
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
