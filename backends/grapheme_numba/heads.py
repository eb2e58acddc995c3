"""Scores of edits, compiled."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from grapheme.arrays import Floats
from grapheme.kernels.cortex import SLOPE
from grapheme.kernels.graph_arrays import GROUP, EditArrays
from grapheme.kernels.parameters import HeadsLayout
from grapheme_numba.examples import Work, groups_of, on_each_thread
from grapheme_numba.products import add_outer, add_product


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
    p, count = layout.views(parameters), len(edits.labels)
    nodes = np.empty((count, 1 + layout.labels), parameters.dtype)
    slots = np.empty((count, layout.slots, 1 + layout.labels), parameters.dtype)
    pairs = np.empty((len(edits.pairs), 1 + layout.edge_labels), parameters.dtype)

    def work(groups: np.ndarray) -> None:
        _node_scores(
            edits.offsets, edits.labels, embeddings, p["node"], p["node_bias"], p["keep"], p["slot"], p["slot_bias"],
            nodes, slots, groups,
        )  # fmt: skip
        _pair_scores(
            *_arrays(edits), embeddings, *_ends_parameters(layout, p), p["pair"], p["pair_bias"], p["edge"],
            p["edge_bias"], p["direct"], pairs, groups,
        )  # fmt: skip

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
    p = layout.views(parameters)
    turned = {name: np.ascontiguousarray(p[name].swapaxes(-1, -2)) for name in _TURNED}
    grad = np.zeros_like(embeddings)
    parts = np.zeros((groups_of(len(edits)), layout.size), parameters.dtype)
    places = tuple(block.offset for block in layout.blocks.values())
    second = "second" if layout.directed else "first"

    def work(groups: np.ndarray) -> None:
        _node_grads(
            edits.offsets, edits.labels, embeddings, turned["node"], p["keep"], turned["slot"], grad_nodes, grad_slots,
            grad, parts, places, groups,
        )  # fmt: skip
        _pair_grads(
            *_arrays(edits), embeddings, *_ends_parameters(layout, p), p["pair"], p["pair_bias"],
            turned["insert"], turned["first"], turned[second], turned["edge"], grad_pairs, grad,
            parts, places, layout.directed, groups,
        )  # fmt: skip

    return (grad, parts), work


_TURNED = ("node", "slot", "insert", "first", "second", "edge")
"""Matrices that gradients go back through."""


def _arrays(edits: EditArrays) -> tuple[np.ndarray, ...]:
    e = edits
    return e.offsets, e.inserted_offsets, e.anchors, e.slots, e.pair_offsets, e.pairs, e.features


def _ends_parameters(layout: HeadsLayout, p: dict[str, Floats]) -> tuple[Floats, ...]:
    return p["insert"], p["insert_bias"], p["first"], p["second" if layout.directed else "first"]


@njit(cache=True, nogil=True)
def _node_scores(
    offsets: Any, labels: Any, embeddings: Any, node: Any, node_bias: Any, keep: Any, slot: Any, slot_bias: Any,
    nodes: Any, slots: Any, groups: Any,
) -> None:  # fmt: skip
    examples, width = offsets.shape[0] - 1, embeddings.shape[1]
    for group in groups:
        for v in range(offsets[group * GROUP], offsets[min((group + 1) * GROUP, examples)]):
            x, out = embeddings[v], nodes[v]
            out[:] = node_bias
            add_product(x, node, out)
            bonus = keep[width]
            for j in range(width):
                bonus += x[j] * keep[j]
            out[1 + labels[v]] += bonus
            for s in range(slot.shape[0]):
                slots[v, s] = slot_bias[s]
                add_product(x, slot[s], slots[v, s])


@njit(cache=True, nogil=True)
def _node_grads(
    offsets: Any, labels: Any, embeddings: Any, node: Any, keep: Any, slot: Any, grad_nodes: Any, grad_slots: Any,
    grad: Any, parts: Any, places: Any, groups: Any,
) -> None:  # fmt: skip
    examples, width = offsets.shape[0] - 1, embeddings.shape[1]
    classes = grad_nodes.shape[1]
    for group in groups:
        part = parts[group]
        grad_node = part[places[0] : places[1]].reshape(width, classes)
        grad_node_bias, grad_keep = part[places[1] : places[2]], part[places[2] : places[3]]
        grad_slot = part[places[3] : places[4]].reshape(slot.shape[0], width, classes)
        grad_slot_bias = part[places[4] : places[5]].reshape(slot.shape[0], classes)
        for v in range(offsets[group * GROUP], offsets[min((group + 1) * GROUP, examples)]):
            x, below, into = embeddings[v], grad_nodes[v], grad[v]
            bonus = below[1 + labels[v]]
            add_outer(x, below, grad_node)
            for j in range(below.shape[0]):
                grad_node_bias[j] += below[j]
            add_product(below, node, into)
            for j in range(width):
                grad_keep[j] += bonus * x[j]
                into[j] += bonus * keep[j]
            grad_keep[width] += bonus
            for s in range(slot.shape[0]):
                add_outer(x, grad_slots[v, s], grad_slot[s])
                for j in range(below.shape[0]):
                    grad_slot_bias[s, j] += grad_slots[v, s, j]
                add_product(grad_slots[v, s], slot[s], into)


@njit(cache=True, nogil=True)
def _ends(
    example: int, offsets: Any, inserted_offsets: Any, anchors: Any, slots: Any, embeddings: Any,
    insert: Any, insert_bias: Any, first_matrix: Any, second_matrix: Any,
) -> Any:  # fmt: skip
    """Return an example's nodes and those to be inserted: embeddings, sums under them, and both products for pairs."""
    begin, count = offsets[example], offsets[example + 1] - offsets[example]
    new = inserted_offsets[example]
    every = count + inserted_offsets[example + 1] - new
    ends = np.zeros((every, embeddings.shape[1]), embeddings.dtype)
    sums = np.zeros((every - count, embeddings.shape[1]), embeddings.dtype)
    slope, zero = embeddings.dtype.type(SLOPE), embeddings.dtype.type(0)
    ends[:count] = embeddings[begin : begin + count]
    for i in range(every - count):
        slot = slots[new + i]
        sums[i] = insert_bias[slot]
        add_product(ends[anchors[new + i]], insert[slot], sums[i])
        for j in range(ends.shape[1]):
            ends[count + i, j] = sums[i, j] if sums[i, j] > zero else slope * sums[i, j]
    firsts = np.zeros((every, first_matrix.shape[1]), embeddings.dtype)
    seconds = np.zeros((every, first_matrix.shape[1]), embeddings.dtype)
    for v in range(every):
        add_product(ends[v], first_matrix, firsts[v])
        add_product(ends[v], second_matrix, seconds[v])
    return ends, sums, firsts, seconds


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
def _pair_scores(
    offsets: Any, inserted_offsets: Any, anchors: Any, slots: Any, pair_offsets: Any, pairs: Any, features: Any,
    embeddings: Any, insert: Any, insert_bias: Any, first_matrix: Any, second_matrix: Any, pair: Any, pair_bias: Any,
    edge: Any, edge_bias: Any, direct: Any, out: Any, groups: Any,
) -> None:  # fmt: skip
    examples = offsets.shape[0] - 1
    hidden = np.empty(pair_bias.shape[0], embeddings.dtype)
    slope, zero = embeddings.dtype.type(SLOPE), embeddings.dtype.type(0)
    for group in groups:
        for example in range(group * GROUP, min((group + 1) * GROUP, examples)):
            _, _, firsts, seconds = _ends(
                example, offsets, inserted_offsets, anchors, slots, embeddings, insert, insert_bias, first_matrix,
                second_matrix,
            )  # fmt: skip
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
    offsets: Any, inserted_offsets: Any, anchors: Any, slots: Any, pair_offsets: Any, pairs: Any, features: Any,
    embeddings: Any, insert: Any, insert_bias: Any, first_matrix: Any, second_matrix: Any, pair: Any, pair_bias: Any,
    insert_turned: Any, first_turned: Any, second_turned: Any, edge_turned: Any, grad_pairs: Any, grad: Any,
    parts: Any, places: Any, directed: bool, groups: Any,
) -> None:  # fmt: skip
    examples, size = offsets.shape[0] - 1, pair_bias.shape[0]
    sums, below, active = (
        np.empty(size, embeddings.dtype), np.empty(size, embeddings.dtype), np.empty(size, embeddings.dtype),
    )  # fmt: skip
    slope, zero = embeddings.dtype.type(SLOPE), embeddings.dtype.type(0)
    kinds, side = grad_pairs.shape[1], 8 if directed else 7
    for group in groups:
        part = parts[group]
        grad_insert = part[places[5] : places[6]].reshape(insert.shape)
        grad_insert_bias = part[places[6] : places[7]].reshape(insert_bias.shape)
        grad_first = part[places[7] : places[8]].reshape(first_matrix.shape)
        grad_second = part[places[side] : places[side + 1]].reshape(first_matrix.shape)
        grad_pair = part[places[9] : places[10]].reshape(pair.shape)
        grad_pair_bias = part[places[10] : places[11]]
        grad_edge = part[places[11] : places[12]].reshape(size, kinds)
        grad_edge_bias = part[places[12] : places[13]]
        grad_direct = part[places[13] :].reshape(pair.shape[0], kinds)
        for example in range(group * GROUP, min((group + 1) * GROUP, examples)):
            ends, under, firsts, seconds = _ends(
                example, offsets, inserted_offsets, anchors, slots, embeddings, insert, insert_bias, first_matrix,
                second_matrix,
            )  # fmt: skip
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
            _pull_ends(
                example, offsets, inserted_offsets, anchors, slots, ends, under, grad_firsts, grad_seconds,
                first_turned, second_turned, insert_turned, grad, grad_first, grad_second,
                grad_insert, grad_insert_bias,
            )  # fmt: skip


@njit(cache=True, nogil=True)
def _pull_ends(
    example: int, offsets: Any, inserted_offsets: Any, anchors: Any, slots: Any, ends: Any, under: Any,
    grad_firsts: Any, grad_seconds: Any, first_turned: Any, second_turned: Any, insert_turned: Any, grad: Any,
    grad_first: Any, grad_second: Any, grad_insert: Any, grad_insert_bias: Any,
) -> None:  # fmt: skip
    """Pull the gradients of the pairs' products back to the nodes, first to those to be inserted, then to others."""
    begin, count = offsets[example], offsets[example + 1] - offsets[example]
    new = inserted_offsets[example]
    slope, zero = ends.dtype.type(SLOPE), ends.dtype.type(0)
    below = np.empty(ends.shape[1], ends.dtype)
    for v in range(ends.shape[0]):
        add_outer(ends[v], grad_firsts[v], grad_first)
        add_outer(ends[v], grad_seconds[v], grad_second)
        if v < count:
            add_product(grad_firsts[v], first_turned, grad[begin + v])
            add_product(grad_seconds[v], second_turned, grad[begin + v])
            continue
        below[:] = zero
        add_product(grad_firsts[v], first_turned, below)
        add_product(grad_seconds[v], second_turned, below)
        for j in range(below.shape[0]):
            below[j] = below[j] if under[v - count, j] > zero else slope * below[j]
        slot, anchor = slots[new + v - count], anchors[new + v - count]
        add_outer(ends[anchor], below, grad_insert[slot])
        for j in range(below.shape[0]):
            grad_insert_bias[slot, j] += below[j]
        add_product(below, insert_turned[slot], grad[begin + anchor])
