"""Scores of edits, compiled."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numba import njit

from grapheme.arrays import Floats
from grapheme.kernels.cortex import SLOPE
from grapheme.kernels.graph_arrays import GROUP, EditArrays
from grapheme.kernels.parameters import HeadsLayout
from grapheme_numba.examples import Work, block, groups_of, on_each_thread
from grapheme_numba.products import add_outer, add_product


class Edits(NamedTuple):
    """Edits as ``EditArrays`` holds them."""

    offsets: Any
    """(examples + 1,): nodes."""
    labels: Any
    """(nodes,)"""
    inserted_offsets: Any
    """(examples + 1,): nodes to be inserted."""
    anchors: Any
    """(inserted,)"""
    slots: Any
    """(inserted,)"""
    pair_offsets: Any
    """(examples + 1,)"""
    pairs: Any
    """(pairs, 2)"""
    features: Any
    """(pairs, features)"""


class Blocks(NamedTuple):
    """Something for each block of a ``HeadsLayout``: its parameters, or where it begins.

    Of undirected graphs both ends of a pair are seen alike: ``second`` is ``first``.
    """

    node: Any
    node_bias: Any
    keep: Any
    slot: Any
    slot_bias: Any
    insert: Any
    insert_bias: Any
    first: Any
    second: Any
    pair: Any
    pair_bias: Any
    edge: Any
    edge_bias: Any
    direct: Any


class Turned(NamedTuple):
    """Transposes of the matrices that gradients go back through."""

    node: Any
    slot: Any
    insert: Any
    first: Any
    second: Any
    edge: Any


class Logits(NamedTuple):
    """Scores of edits, or their gradients."""

    nodes: Any
    """(nodes, 1 + labels)"""
    slots: Any
    """(nodes, slots, 1 + labels)"""
    pairs: Any
    """(pairs, 1 + edge labels)"""


class Ends(NamedTuple):
    """What pairs of an example join: its nodes, then those to be inserted."""

    embeddings: Any
    """(ends, width)"""
    sums: Any
    """(inserted, width): under the embeddings of those to be inserted."""
    firsts: Any
    """(ends, hidden): what each adds to a pair whose first end it is."""
    seconds: Any
    """(ends, hidden): and to one whose second end it is."""


class EndsGrads(NamedTuple):
    """Gradients of the parameters that ends have to do with."""

    first: Any
    second: Any
    insert: Any
    insert_bias: Any


def edit_scores(
    layout: HeadsLayout, edits: EditArrays, parameters: Floats, embeddings: Floats
) -> tuple[Floats, Floats, Floats]:
    """Return the logits of nodes, slots and pairs."""
    logits, work = edit_scores_work(layout, edits, parameters, embeddings)
    on_each_thread(edits.offsets, work)
    return logits


def edit_scores_work(
    layout: HeadsLayout, edits: EditArrays, parameters: Floats, embeddings: Floats
) -> tuple[tuple[Floats, Floats, Floats], Work]:
    """Return arrays for the logits, and the work that fills them."""
    arrays, heads, count = _arrays(edits), _blocks(layout, layout.views(parameters)), len(edits.labels)
    nodes = np.empty((count, 1 + layout.labels), parameters.dtype)
    slots = np.empty((count, layout.slots, 1 + layout.labels), parameters.dtype)
    pairs = np.empty((len(edits.pairs), 1 + layout.edge_labels), parameters.dtype)

    def work(groups: np.ndarray) -> None:
        _node_scores(arrays, heads, embeddings, nodes, slots, groups)
        _pair_scores(arrays, heads, embeddings, pairs, groups)

    return (nodes, slots, pairs), work


def edit_scores_grad(
    layout: HeadsLayout, edits: EditArrays, parameters: Floats, embeddings: Floats,
    grad_nodes: Floats, grad_slots: Floats, grad_pairs: Floats,
) -> tuple[Floats, Floats]:  # fmt: skip
    """Pull the gradients of the logits back to embeddings and parameters."""
    result, work = edit_scores_grad_work(layout, edits, parameters, embeddings, grad_nodes, grad_slots, grad_pairs)
    on_each_thread(edits.offsets, work)
    return result


def edit_scores_grad_work(
    layout: HeadsLayout, edits: EditArrays, parameters: Floats, embeddings: Floats,
    grad_nodes: Floats, grad_slots: Floats, grad_pairs: Floats,
) -> tuple[tuple[Floats, Floats], Work]:  # fmt: skip
    """Return gradients that are 0, and the work that adds to them."""
    arrays, heads = _arrays(edits), _blocks(layout, layout.views(parameters))
    places = _blocks(layout, {name: block.offset for name, block in layout.blocks.items()})
    turned = Turned(*(np.ascontiguousarray(getattr(heads, name).swapaxes(-1, -2)) for name in Turned._fields))
    above = Logits(grad_nodes, grad_slots, grad_pairs)
    grad = np.zeros_like(embeddings)
    parts = np.zeros((groups_of(len(edits)), layout.size), parameters.dtype)

    def work(groups: np.ndarray) -> None:
        _node_grads(arrays, heads, turned, embeddings, above, grad, parts, places, groups)
        _pair_grads(arrays, heads, turned, embeddings, above, grad, parts, places, groups)

    return (grad, parts), work


def _arrays(edits: EditArrays) -> Edits:
    return Edits(*(getattr(edits, name) for name in Edits._fields))


def _blocks(layout: HeadsLayout, blocks: Mapping[str, Any]) -> Blocks:
    named = Blocks(**blocks)
    return named if layout.directed else named._replace(second=named.first)


@njit(cache=True, nogil=True)
def _node_scores(edits: Edits, heads: Blocks, embeddings: Any, nodes: Any, slots: Any, groups: Any) -> None:
    """Fill the logits of nodes and slots of some groups."""
    offsets, labels, node, keep, slot = edits.offsets, edits.labels, heads.node, heads.keep, heads.slot
    examples, width = offsets.shape[0] - 1, embeddings.shape[1]
    for group in groups:
        for v in range(offsets[group * GROUP], offsets[min((group + 1) * GROUP, examples)]):
            x, out = embeddings[v], nodes[v]
            out[:] = heads.node_bias
            add_product(x, node, out)
            bonus = keep[width]
            for j in range(width):
                bonus += x[j] * keep[j]
            out[1 + labels[v]] += bonus
            for s in range(slot.shape[0]):
                slots[v, s] = heads.slot_bias[s]
                add_product(x, slot[s], slots[v, s])


@njit(cache=True, nogil=True)
def _node_grads(
    edits: Edits, heads: Blocks, turned: Turned, embeddings: Any, above: Logits, grad: Any, parts: Any, places: Blocks,
    groups: Any,
) -> None:  # fmt: skip
    """Add the gradients of the logits of nodes and slots of some groups to ``grad`` and to their parts."""
    offsets, labels, keep, slot = edits.offsets, edits.labels, heads.keep, heads.slot
    grad_nodes, grad_slots = above.nodes, above.slots
    examples, width = offsets.shape[0] - 1, embeddings.shape[1]
    for group in groups:
        part = parts[group]
        grad_node, grad_node_bias = block(part, places.node, heads.node), block(part, places.node_bias, heads.node_bias)
        grad_slot, grad_slot_bias = block(part, places.slot, heads.slot), block(part, places.slot_bias, heads.slot_bias)
        grad_keep = block(part, places.keep, heads.keep)
        for v in range(offsets[group * GROUP], offsets[min((group + 1) * GROUP, examples)]):
            x, below, into = embeddings[v], grad_nodes[v], grad[v]
            bonus = below[1 + labels[v]]
            add_outer(x, below, grad_node)
            for j in range(below.shape[0]):
                grad_node_bias[j] += below[j]
            add_product(below, turned.node, into)
            for j in range(width):
                grad_keep[j] += bonus * x[j]
                into[j] += bonus * keep[j]
            grad_keep[width] += bonus
            for s in range(slot.shape[0]):
                add_outer(x, grad_slots[v, s], grad_slot[s])
                for j in range(below.shape[0]):
                    grad_slot_bias[s, j] += grad_slots[v, s, j]
                add_product(grad_slots[v, s], turned.slot[s], into)


@njit(cache=True, nogil=True)
def _ends(example: int, edits: Edits, heads: Blocks, embeddings: Any) -> Ends:
    """Return an example's nodes and those to be inserted, which look like what they are inserted after and where."""
    offsets, inserted_offsets, anchors, slots = edits.offsets, edits.inserted_offsets, edits.anchors, edits.slots
    first, second = heads.first, heads.second
    begin, count = offsets[example], offsets[example + 1] - offsets[example]
    new = inserted_offsets[example]
    every = count + inserted_offsets[example + 1] - new
    ends = np.zeros((every, embeddings.shape[1]), embeddings.dtype)
    sums = np.zeros((every - count, embeddings.shape[1]), embeddings.dtype)
    slope, zero = embeddings.dtype.type(SLOPE), embeddings.dtype.type(0)
    ends[:count] = embeddings[begin : begin + count]
    for i in range(every - count):
        slot = slots[new + i]
        sums[i] = heads.insert_bias[slot]
        add_product(ends[anchors[new + i]], heads.insert[slot], sums[i])
        for j in range(ends.shape[1]):
            ends[count + i, j] = sums[i, j] if sums[i, j] > zero else slope * sums[i, j]
    firsts = np.zeros((every, first.shape[1]), embeddings.dtype)
    seconds = np.zeros((every, first.shape[1]), embeddings.dtype)
    for v in range(every):
        add_product(ends[v], first, firsts[v])
        add_product(ends[v], second, seconds[v])
    return Ends(ends, sums, firsts, seconds)


@njit(cache=True, nogil=True)
def _hidden(first: Any, second: Any, features: Any, pair: Any, pair_bias: Any, sums: Any) -> None:
    """Write the sums under the hidden layer of one pair."""
    for j in range(sums.shape[0]):
        sums[j] = (first[j] + second[j]) + pair_bias[j]
    for f in range(features.shape[0]):
        row = features[f]
        if row >= 0:
            for j in range(sums.shape[0]):
                sums[j] += pair[row, j]


@njit(cache=True, nogil=True)
def _pair_scores(edits: Edits, heads: Blocks, embeddings: Any, out: Any, groups: Any) -> None:
    """Fill the logits ``out`` of pairs of some groups."""
    pair_offsets, pairs, features = edits.pair_offsets, edits.pairs, edits.features
    pair, pair_bias, edge, edge_bias, direct = heads.pair, heads.pair_bias, heads.edge, heads.edge_bias, heads.direct
    examples = edits.offsets.shape[0] - 1
    hidden = np.empty(pair_bias.shape[0], embeddings.dtype)
    slope, zero = embeddings.dtype.type(SLOPE), embeddings.dtype.type(0)
    for group in groups:
        for example in range(group * GROUP, min((group + 1) * GROUP, examples)):
            ends = _ends(example, edits, heads, embeddings)
            firsts, seconds = ends.firsts, ends.seconds
            for q in range(pair_offsets[example], pair_offsets[example + 1]):
                _hidden(firsts[pairs[q, 0]], seconds[pairs[q, 1]], features[q], pair, pair_bias, hidden)
                for j in range(hidden.shape[0]):
                    hidden[j] = hidden[j] if hidden[j] > zero else slope * hidden[j]
                out[q] = edge_bias
                add_product(hidden, edge, out[q])
                for f in range(features.shape[1]):
                    row = features[q, f]
                    if row >= 0:
                        for j in range(out.shape[1]):
                            out[q, j] += direct[row, j]


@njit(cache=True, nogil=True)
def _pair_grads(
    edits: Edits, heads: Blocks, turned: Turned, embeddings: Any, above: Logits, grad: Any, parts: Any, places: Blocks,
    groups: Any,
) -> None:  # fmt: skip
    """Add the gradients of the logits of pairs of some groups to ``grad`` and to their parts."""
    pair_offsets, pairs, features = edits.pair_offsets, edits.pairs, edits.features
    pair, pair_bias, edge_turned, grad_pairs = heads.pair, heads.pair_bias, turned.edge, above.pairs
    examples, size = edits.offsets.shape[0] - 1, pair_bias.shape[0]
    sums, below, active = (
        np.empty(size, embeddings.dtype), np.empty(size, embeddings.dtype), np.empty(size, embeddings.dtype),
    )  # fmt: skip
    slope, zero = embeddings.dtype.type(SLOPE), embeddings.dtype.type(0)
    for group in groups:
        part = parts[group]
        into = EndsGrads(
            block(part, places.first, heads.first), block(part, places.second, heads.second),
            block(part, places.insert, heads.insert), block(part, places.insert_bias, heads.insert_bias),
        )  # fmt: skip
        grad_pair, grad_pair_bias = block(part, places.pair, pair), block(part, places.pair_bias, pair_bias)
        grad_edge, grad_edge_bias = block(part, places.edge, heads.edge), block(part, places.edge_bias, heads.edge_bias)
        grad_direct = block(part, places.direct, heads.direct)
        for example in range(group * GROUP, min((group + 1) * GROUP, examples)):
            ends = _ends(example, edits, heads, embeddings)
            firsts, seconds = ends.firsts, ends.seconds
            grad_firsts, grad_seconds = np.zeros_like(firsts), np.zeros_like(seconds)
            for q in range(pair_offsets[example], pair_offsets[example + 1]):
                a, b = pairs[q, 0], pairs[q, 1]
                _hidden(firsts[a], seconds[b], features[q], pair, pair_bias, sums)
                below[:] = zero
                add_product(grad_pairs[q], edge_turned, below)
                for j in range(size):
                    active[j] = sums[j] if sums[j] > zero else slope * sums[j]
                    below[j] = below[j] if sums[j] > zero else slope * below[j]
                    grad_pair_bias[j] += below[j]
                    grad_firsts[a, j] += below[j]
                    grad_seconds[b, j] += below[j]
                add_outer(active, grad_pairs[q], grad_edge)
                for j in range(grad_pairs.shape[1]):
                    grad_edge_bias[j] += grad_pairs[q, j]
                for f in range(features.shape[1]):
                    row = features[q, f]
                    if row >= 0:
                        for j in range(size):
                            grad_pair[row, j] += below[j]
                        for j in range(grad_pairs.shape[1]):
                            grad_direct[row, j] += grad_pairs[q, j]
            _pull_ends(example, edits, ends, grad_firsts, grad_seconds, turned, grad, into)


@njit(cache=True, nogil=True)
def _pull_ends(
    example: int, edits: Edits, joined: Ends, grad_firsts: Any, grad_seconds: Any, turned: Turned, grad: Any,
    into: EndsGrads,
) -> None:  # fmt: skip
    """Pull the gradients of the pairs' products back to the nodes, first to those to be inserted, then to others."""
    offsets, inserted_offsets, anchors, slots = edits.offsets, edits.inserted_offsets, edits.anchors, edits.slots
    ends, under = joined.embeddings, joined.sums
    begin, count = offsets[example], offsets[example + 1] - offsets[example]
    new = inserted_offsets[example]
    slope, zero = ends.dtype.type(SLOPE), ends.dtype.type(0)
    below = np.empty(ends.shape[1], ends.dtype)
    for v in range(ends.shape[0]):
        add_outer(ends[v], grad_firsts[v], into.first)
        add_outer(ends[v], grad_seconds[v], into.second)
        if v < count:
            add_product(grad_firsts[v], turned.first, grad[begin + v])
            add_product(grad_seconds[v], turned.second, grad[begin + v])
            continue
        below[:] = zero
        add_product(grad_firsts[v], turned.first, below)
        add_product(grad_seconds[v], turned.second, below)
        for j in range(below.shape[0]):
            below[j] = below[j] if under[v - count, j] > zero else slope * below[j]
        slot, anchor = slots[new + v - count], anchors[new + v - count]
        add_outer(ends[anchor], below, into.insert[slot])
        for j in range(below.shape[0]):
            into.insert_bias[slot, j] += below[j]
        add_product(below, turned.insert[slot], grad[begin + anchor])
