"""Edits of a graph, and the graph that they give."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple, final

import numpy as np

from grapheme.arrays import Ints
from grapheme.graph.abstract import AbstractGraph
from grapheme.graph.graph import Graph
from grapheme.kernels.graph_arrays import EditArrays, EditTargets
from grapheme.transform.vocabulary import Vocabulary

NOTHING = 0
"""In an edit: the node, the slot or the edge is empty. Other numbers are 1 more than those of a label."""


@final
@dataclass(frozen=True, eq=False)
class Edits:
    """What becomes of a graph: of its nodes, and of every pair of nodes that an edge may join.

    A new node is numbered after the nodes of the graph, in the order of ``anchors``.
    """

    nodes: Ints
    """(nodes,): 1 more than the label, or ``NOTHING`` if the node is deleted."""
    anchors: Ints
    """(new,): the node that each new one is inserted after."""
    slots: Ints
    """(new,): and into which slot of it."""
    new: Ints
    """(new,): 1 more than the label."""
    pairs: Ints
    """(pairs, 2): nodes that an edge may join."""
    edges: Ints
    """(pairs,): 1 more than the label, or ``NOTHING``."""

    @classmethod
    def of(cls, arrays: EditArrays, targets: EditTargets) -> Edits:
        """Return the edits that are right for one example."""
        new = targets.slots[arrays.anchors, arrays.slots]
        return cls(targets.nodes, arrays.anchors, arrays.slots, new, arrays.pairs, targets.pairs)

    def outcome(self) -> Outcome:
        """Return what is there after the edits; an edge goes with its ends."""
        codes = np.concatenate([self.nodes, self.new])
        stays = codes != NOTHING
        number = np.where(stays, np.cumsum(stays) - 1, -1).astype(np.int32)
        ends = number[self.pairs]
        there = (self.edges != NOTHING) & (ends >= 0).all(axis=1)
        return Outcome((codes[stays] - 1).astype(np.int32), ends[there], self.edges[there] - 1, number)


class Outcome(NamedTuple):
    """The nodes and edges after edits, in numbers of a vocabulary; edges that no pair is about are gone."""

    labels: Ints
    """(nodes,)"""
    ends: Ints
    """(edges, 2)"""
    kinds: Ints
    """(edges,)"""
    number: Ints
    """(nodes before and new ones,): which node each became; -1 if none."""


def apply_edits(edits: Edits, vocabulary: Vocabulary) -> Graph:
    """Return the graph after the edits; edges that no pair is about are gone."""
    return applied(edits, vocabulary)[0]


def applied(edits: Edits, vocabulary: Vocabulary) -> tuple[Graph, Ints]:
    """Return the graph after the edits, and which node (nodes and new ones,) each became; -1 if none."""
    found = edits.outcome()
    labels = [vocabulary.labels[code] for code in found.labels]
    kinds = [vocabulary.edge_labels[code] for code in found.kinds]
    graph = Graph.from_edges(
        found.ends,
        len(labels),
        None if vocabulary.labels == (None,) else labels,
        vocabulary.directed,
        None if vocabulary.edge_labels in ((None,), ()) else kinds,
    )
    return graph, found.number


@dataclass(frozen=True)
class Changes:
    """Which nodes and edges of a source and of its result are new, gone or otherwise labelled, for drawing."""

    deleted: frozenset[int]
    relabelled: frozenset[int]
    inserted: frozenset[int]
    """Numbers of the result."""


def changes(source: AbstractGraph, edits: Edits, vocabulary: Vocabulary) -> Changes:
    """Return what edits change."""
    own = vocabulary.nodes(source) + 1
    _, number = applied(edits, vocabulary)
    different = (edits.nodes != own) & (edits.nodes != NOTHING)
    return Changes(
        frozenset(np.flatnonzero(edits.nodes == NOTHING).tolist()),
        frozenset(np.flatnonzero(different).tolist()),
        frozenset(number[source.nodes :].tolist()) - {-1},
    )
