"""Message passing: states of nodes, layer by layer, and the gradient back; an example at a time."""

from __future__ import annotations

import numpy as np

from grapheme.arrays import Bits, Floats
from grapheme.kernels.cortex import EPSILON, SLOPE
from grapheme.kernels.graph_arrays import GROUP, GraphArrays
from grapheme.kernels.parameters import EncoderLayout


def encode(layout: EncoderLayout, graphs: GraphArrays, parameters: Floats) -> tuple[Floats, Floats]:
    """Return states and sums of all nodes."""
    p = layout.views(parameters)
    states = np.zeros((layout.layers + 1, graphs.nodes, layout.width), parameters.dtype)
    sums = np.zeros((layout.layers, graphs.nodes, layout.width), parameters.dtype)
    states[0] = p["label"][graphs.labels] + p["into"][graphs.into] + p["out_of"][graphs.out_of]
    for first, last in zip(graphs.offsets, graphs.offsets[1:], strict=False):
        adjacency = _adjacency(layout, graphs, first, last, parameters.dtype)
        for k in range(layout.layers):
            w = 0 if layout.shared else k
            state = states[k, first:last]
            total = p["bias"][w] + state @ p["weights"][w, 0]
            for relation, matrix in enumerate(adjacency):
                total = total + matrix @ state @ p["weights"][w, 1 + relation]
            sums[k, first:last] = total
            shown = _normal(total)[0] * p["gain"][w] + p["shift"][w] if layout.norm else total
            states[k + 1, first:last] = state + np.where(shown > 0, shown, shown.dtype.type(SLOPE) * shown)
    return states, sums


def encode_grad(
    layout: EncoderLayout, graphs: GraphArrays, parameters: Floats, states: Floats, sums: Floats, grad: Floats
) -> Floats:
    """Pull the gradient of the last state back to the parameters, layer by layer from the last."""
    p = layout.views(parameters)
    parts = np.zeros((-(-len(graphs) // GROUP), layout.size), parameters.dtype)
    for example in range(len(graphs)):
        first, last = graphs.offsets[example : example + 2]
        g = layout.views(parts[example // GROUP])
        adjacency = _adjacency(layout, graphs, first, last, parameters.dtype)
        above = grad[first:last]
        for k in reversed(range(layout.layers)):
            w, state = 0 if layout.shared else k, states[k, first:last]
            below = _through_activation(layout, w, p, g, sums[k, first:last], above)
            g["bias"][w] += below.sum(axis=0)
            g["weights"][w, 0] += state.T @ below
            above = above + below @ p["weights"][w, 0].T
            for relation, matrix in enumerate(adjacency):
                g["weights"][w, 1 + relation] += (matrix @ state).T @ below
                above = above + matrix.T @ (below @ p["weights"][w, 1 + relation].T)
        for name, rows in (("label", graphs.labels), ("into", graphs.into), ("out_of", graphs.out_of)):
            np.add.at(g[name], rows[first:last], above)
    return parts


def _through_activation(
    layout: EncoderLayout, w: int, p: dict[str, Floats], g: dict[str, Floats], total: Floats, above: Floats
) -> Floats:
    """Return the gradient of a layer's sums, given that of its activations."""
    if not layout.norm:
        return above * _slope(total > 0, total)
    normal, deviation = _normal(total)
    shown = normal * p["gain"][w] + p["shift"][w]
    below = above * _slope(shown > 0, total)
    g["gain"][w] += (below * normal).sum(axis=0)
    g["shift"][w] += below.sum(axis=0)
    below = below * p["gain"][w]
    along = (below * normal).mean(axis=1, keepdims=True)
    result: Floats = (below - below.mean(axis=1, keepdims=True) - normal * along) / deviation
    return result


def _normal(total: Floats) -> tuple[Floats, Floats]:
    """Return each row less its mean and divided by its deviation, and the deviation."""
    deviation = np.sqrt(total.var(axis=1, keepdims=True) + total.dtype.type(EPSILON))
    return (total - total.mean(axis=1, keepdims=True)) / deviation, deviation


def _slope(positive: Bits, like: Floats) -> Floats:
    return np.where(positive, like.dtype.type(1), like.dtype.type(SLOPE))


def _adjacency(layout: EncoderLayout, graphs: GraphArrays, first: int, last: int, dtype: np.dtype) -> Floats:
    """Return for each relation a matrix (nodes, nodes): how much of each state enters each node."""
    adjacency = np.zeros((layout.relations, last - first, last - first), dtype)
    for node in range(first, last):
        for message in range(graphs.indptr[node], graphs.indptr[node + 1]):
            adjacency[graphs.relations[message], node - first, graphs.sources[message] - first] += 1
    if layout.mean:
        adjacency /= np.maximum(adjacency.sum(axis=2, keepdims=True), 1)
    return adjacency
