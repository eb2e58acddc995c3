"""Scores of edits from the embeddings of nodes, and the gradient back; an example at a time."""

from __future__ import annotations

import numpy as np

from grapheme.arrays import Floats
from grapheme.kernels.cortex import SLOPE
from grapheme.kernels.graph_arrays import GROUP, EditArrays
from grapheme.kernels.parameters import HeadsLayout

Logits = tuple[Floats, Floats, Floats]


def edit_scores(layout: HeadsLayout, edits: EditArrays, parameters: Floats, embeddings: Floats) -> Logits:
    """Return the logits of nodes, slots and pairs."""
    p, dtype = layout.views(parameters), parameters.dtype
    count, classes = len(edits.labels), 1 + layout.labels
    nodes = embeddings @ p["node"] + p["node_bias"]
    nodes[np.arange(count), 1 + edits.labels] += embeddings @ p["keep"][:-1] + p["keep"][-1]
    slots = np.zeros((count, layout.slots, classes), dtype)
    for slot in range(layout.slots):
        slots[:, slot] = embeddings @ p["slot"][slot] + p["slot_bias"][slot]
    pairs = np.zeros((len(edits.pairs), 1 + layout.edge_labels), dtype)
    for example in range(len(edits)):
        mine = slice(*edits.pair_offsets[example : example + 2])
        ends, _ = _ends(layout, edits, p, embeddings, example)
        hidden = _active(_hidden(layout, edits, p, ends, mine))
        pairs[mine] = hidden @ p["edge"] + p["edge_bias"] + _rows(p["direct"], edits.features[mine])
    return nodes, slots, pairs


def edit_scores_grad(
    layout: HeadsLayout, edits: EditArrays, parameters: Floats, embeddings: Floats,
    grad_nodes: Floats, grad_slots: Floats, grad_pairs: Floats,
) -> tuple[Floats, Floats]:  # fmt: skip
    """Pull the gradients of the logits back to embeddings and parameters."""
    p = layout.views(parameters)
    grad = np.zeros_like(embeddings)
    parts = np.zeros((-(-len(edits) // GROUP), layout.size), parameters.dtype)
    for example in range(len(edits)):
        first, last = edits.offsets[example : example + 2]
        g, x, below = layout.views(parts[example // GROUP]), embeddings[first:last], grad_nodes[first:last]
        below_keep = below[np.arange(last - first), 1 + edits.labels[first:last]]
        g["node"] += x.T @ below
        g["node_bias"] += below.sum(axis=0)
        g["keep"][:-1] += below_keep @ x
        g["keep"][-1] += below_keep.sum()
        grad[first:last] = below @ p["node"].T + np.outer(below_keep, p["keep"][:-1])
        for slot in range(layout.slots):
            below = grad_slots[first:last, slot]
            g["slot"][slot] += x.T @ below
            g["slot_bias"][slot] += below.sum(axis=0)
            grad[first:last] += below @ p["slot"][slot].T
        grad[first:last] += _pairs_grad(layout, edits, p, g, embeddings, grad_pairs, example)
    return grad, parts


def _pairs_grad(
    layout: HeadsLayout, edits: EditArrays, p: dict[str, Floats], g: dict[str, Floats],
    embeddings: Floats, grad_pairs: Floats, example: int,
) -> Floats:  # fmt: skip
    """Pull the gradient of an example's pairs back to its nodes, through those to be inserted."""
    mine = slice(*edits.pair_offsets[example : example + 2])
    ends, sums = _ends(layout, edits, p, embeddings, example)
    before, below, second = _hidden(layout, edits, p, ends, mine), grad_pairs[mine], _second(layout)
    g["edge"] += _active(before).T @ below
    g["edge_bias"] += below.sum(axis=0)
    hidden = below @ p["edge"].T * _slope(before)
    g["pair_bias"] += hidden.sum(axis=0)
    for name, rows in (("direct", below), ("pair", hidden)):
        for column in edits.features[mine].T:
            np.add.at(g[name], column[column >= 0], rows[column >= 0])
    a, b = edits.pairs[mine].T
    g["first"] += ends[a].T @ hidden
    g[second] += ends[b].T @ hidden
    grad_ends = np.zeros_like(ends)
    np.add.at(grad_ends, a, hidden @ p["first"].T)
    np.add.at(grad_ends, b, hidden @ p[second].T)
    count = len(ends) - len(sums)
    grad, inserted = grad_ends[:count], grad_ends[count:] * _slope(sums)
    new = slice(*edits.inserted_offsets[example : example + 2])
    for anchor, slot, row in zip(edits.anchors[new], edits.slots[new], inserted, strict=True):
        g["insert"][slot] += np.outer(ends[anchor], row)
        g["insert_bias"][slot] += row
        grad[anchor] += row @ p["insert"][slot].T
    return grad


def _ends(
    layout: HeadsLayout, edits: EditArrays, p: dict[str, Floats], embeddings: Floats, example: int
) -> tuple[Floats, Floats]:
    """Return the embeddings of an example's nodes and of those to be inserted, and the sums under the latter."""
    x = embeddings[edits.offsets[example] : edits.offsets[example + 1]]
    new = slice(*edits.inserted_offsets[example : example + 2])
    anchors, slots = edits.anchors[new], edits.slots[new]
    sums = np.einsum("ij,ijk->ik", x[anchors], p["insert"][slots]) + p["insert_bias"][slots]
    return np.concatenate([x, _active(sums)]), sums


def _hidden(layout: HeadsLayout, edits: EditArrays, p: dict[str, Floats], ends: Floats, mine: slice) -> Floats:
    """Return the sums under the hidden layer of an example's pairs."""
    a, b = edits.pairs[mine].T
    known = _rows(p["pair"], edits.features[mine])
    result: Floats = ends[a] @ p["first"] + ends[b] @ p[_second(layout)] + known + p["pair_bias"]
    return result


def _second(layout: HeadsLayout) -> str:
    return "second" if layout.directed else "first"


def _rows(table: Floats, features: np.ndarray) -> Floats:
    """Return the sum of the rows of each pair's features."""
    chosen: Floats = np.where((features >= 0)[..., None], table[features], table.dtype.type(0)).sum(axis=1)
    return chosen


def _active(sums: Floats) -> Floats:
    return np.where(sums > 0, sums, sums.dtype.type(SLOPE) * sums)


def _slope(sums: Floats) -> Floats:
    return np.where(sums > 0, sums.dtype.type(1), sums.dtype.type(SLOPE))
