"""Which node of a source becomes which of its target, found without any order of the nodes.

Nodes that look alike, and whose neighbours become each other, are assigned to each other, as many as gain by it; the
gain is that of edges and labels that need no edit. Where several assignments gain as much, the order of colours decides,
so the outcome does not depend on the numbers of the nodes, and nearby differences decide before distant ones.
"""

from __future__ import annotations

import numpy as np
from scipy.optimize import linear_sum_assignment

from grapheme.arrays import Floats, Ints
from grapheme.transform.coding import CodedGraph
from grapheme.transform.colours import Colours, shared_colours

SAME_LABEL = 1.0
CONTEXT = 0.25
"""For each round and way in which two nodes look the same around them."""
NOTHING_AROUND = 0.05
"""Instead, where there is nothing around either of them."""
EDGE = 1.0
"""For each edge that leads from one pair of assigned nodes to another."""
LEAST = 0.6
"""Nodes are assigned to each other only if they gain more."""
TIE = 1e-4
ROUNDS = 8

UNMATCHED = -1


def align(source: CodedGraph, target: CodedGraph, hint: Floats | None = None) -> Ints:
    """Return the node of the target (nodes,) that each node of the source becomes, or ``UNMATCHED``.

    ``hint (nodes, nodes of the target)`` is a gain on top, as from a network that knows something already.
    """
    if not source.nodes or not target.nodes:
        return np.full(source.nodes, UNMATCHED, np.int32)
    colours = shared_colours(source, target)
    alike = _alike(source, target, colours) + _tie_break(source, colours)
    if hint is not None:
        alike = alike + hint
    rows, columns = (np.argsort(part, kind="stable") for part in np.split(colours.order, [source.nodes]))
    relations = _relations(source), _relations(target)
    share = _softened(alike)
    best, most = np.full(source.nodes, UNMATCHED, np.int32), -1.0
    for _ in range(ROUNDS):
        gain = alike + EDGE * _support(*relations, share)
        mapping = _assigned(gain, rows, columns)
        share = _matrix(mapping, target.nodes)
        worth = float((share * (alike - LEAST + EDGE / 2 * _support(*relations, share))).sum())
        if worth <= most + TIE / 10:
            break
        best, most = mapping, worth
    return best


def _alike(source: CodedGraph, target: CodedGraph, colours: Colours) -> Floats:
    """Return how much (nodes, nodes of the target) two nodes look the same."""
    alike = SAME_LABEL * (source.labels[:, None] == target.labels[None]).astype(np.float64)
    for way in colours.context.reshape(-1, source.nodes + target.nodes):
        one, other = way[: source.nodes, None], way[None, source.nodes :]
        alike += (one == other) * np.where(one == 0, NOTHING_AROUND, CONTEXT)
    return alike


def _tie_break(source: CodedGraph, colours: Colours) -> Floats:
    """Return what is too small to outweigh anything, but prefers nodes early in the order, and early with early."""
    place = colours.order / (1 + colours.order.max(initial=0))
    one, other = place[: source.nodes, None], place[None, source.nodes :]
    result: Floats = TIE * (one * other - 2 * one)
    return result


def _relations(graph: CodedGraph) -> dict[int, Floats]:
    """Return a matrix (nodes, nodes) for each relation: which nodes' messages enter each node."""
    matrices: dict[int, Floats] = {}
    for node, relation, source in graph.arcs.tolist():
        matrices.setdefault(relation, np.zeros((graph.nodes, graph.nodes)))[node, source] = 1
    return matrices


def _support(source: dict[int, Floats], target: dict[int, Floats], share: Floats) -> Floats:
    """Return how many edges (nodes, nodes of the target) lead to neighbours that become each other."""
    support = np.zeros_like(share)
    for relation, matrix in source.items():
        if relation in target:
            support += matrix @ share @ target[relation].T
    return support


def _softened(alike: Floats) -> Floats:
    """Return a first guess of the assignment: each node's share in those it looks like most."""
    powers = np.exp(4 * (alike - alike.max()))
    result: Floats = powers / np.maximum(powers.sum(axis=1, keepdims=True), powers.sum(axis=0, keepdims=True))
    return result


def _assigned(gain: Floats, rows: np.ndarray, columns: np.ndarray) -> Ints:
    """Return the assignment of the largest gain; nodes that would not gain enough stay alone."""
    worth = np.maximum(gain - LEAST, 0)[np.ix_(rows, columns)]
    chosen = linear_sum_assignment(worth, maximize=True)
    mapping = np.full(len(gain), UNMATCHED, np.int32)
    for i, j in zip(*chosen, strict=True):
        if worth[i, j] > 0:
            mapping[rows[i]] = columns[j]
    return mapping


def _matrix(mapping: Ints, columns: int) -> Floats:
    matrix = np.zeros((len(mapping), columns))
    matched = mapping != UNMATCHED
    matrix[np.flatnonzero(matched), mapping[matched]] = 1
    return matrix
