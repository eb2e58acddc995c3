"""Batches of graphs and of edits as flat arrays: the one form in which the kernels of the group ``cortex`` see them.

Example i of a batch owns the stretch ``offsets[i]`` to ``offsets[i + 1] - 1`` of every array that has offsets.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np

from grapheme.arrays import Floats, Ints
from grapheme.kernels.csr import Offsets, offsets_of

GROUP = 8
"""Examples whose gradients are summed into one part; a batch is cut only where a group ends."""


@dataclass(frozen=True, eq=False)
class GraphArrays:
    """Graphs as one block-diagonal CSR of the messages that enter each node."""

    offsets: Offsets
    """(graphs + 1,): the nodes of each graph."""
    labels: Ints
    """(nodes,): the label of each node, from 0 up."""
    into: Ints
    """(nodes,): how many edges lead to it, up to the layout's largest degree."""
    out_of: Ints
    """(nodes,): how many edges leave it, likewise."""
    indptr: Offsets
    """(nodes + 1,): the messages that enter each node."""
    sources: Ints
    """(messages,): the node of the batch that each comes from; those of one relation and node stand together."""
    relations: Ints
    """(messages,): the relation of each, ascending for each node."""

    @classmethod
    def join(cls, batches: Sequence[Self]) -> Self:
        """Return several batches as one."""
        firsts = np.cumsum([0, *(batch.nodes for batch in batches[:-1])])
        moved = np.repeat(firsts, [len(batch.sources) for batch in batches])
        return cls(
            joined_offsets([batch.offsets for batch in batches]),
            _rows([batch.labels for batch in batches]),
            _rows([batch.into for batch in batches]),
            _rows([batch.out_of for batch in batches]),
            joined_offsets([batch.indptr for batch in batches]),
            (np.concatenate([batch.sources for batch in batches]) + moved).astype(np.int32),
            _rows([batch.relations for batch in batches]),
        )

    def take(self, chosen: np.ndarray) -> Self:
        """Return some graphs of the batch, in this order."""
        nodes, offsets = stretches(self.offsets, chosen)
        messages, ends = stretches(self.indptr[self.offsets], chosen)
        moved = np.repeat(self.offsets[chosen] - offsets[:-1], np.diff(ends)).astype(np.int32)
        return type(self)(
            offsets,
            self.labels[nodes],
            self.into[nodes],
            self.out_of[nodes],
            offsets_of(np.diff(self.indptr)[nodes]),
            self.sources[messages] - moved,
            self.relations[messages],
        )

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @property
    def nodes(self) -> int:
        """How many nodes all graphs have."""
        return len(self.labels)


@dataclass(frozen=True, eq=False)
class EditArrays:
    """What edits are to be scored: every node, every slot, and pairs of nodes.

    In a pair, the nodes of an example count from 0, and the nodes to be inserted follow them.
    """

    offsets: Offsets
    """(examples + 1,): the nodes of each example."""
    labels: Ints
    """(nodes,): the label that each node has now."""
    inserted_offsets: Offsets
    anchors: Ints
    """(inserted,): the node of the example after which one may be inserted."""
    slots: Ints
    """(inserted,): into which of its slots."""
    pair_offsets: Offsets
    pairs: Ints
    """(pairs, 2): the ends of an edge that may be."""
    features: Ints
    """(pairs, features): rows of the layout's tables that describe a pair as it is now; -1 is none."""

    @classmethod
    def join(cls, batches: Sequence[Self]) -> Self:
        """Return several batches as one."""
        return cls(
            joined_offsets([b.offsets for b in batches]),
            _rows([b.labels for b in batches]),
            joined_offsets([b.inserted_offsets for b in batches]),
            _rows([b.anchors for b in batches]),
            _rows([b.slots for b in batches]),
            joined_offsets([b.pair_offsets for b in batches]),
            _rows([b.pairs for b in batches]),
            _rows([b.features for b in batches]),
        )

    def take(self, chosen: np.ndarray) -> Self:
        """Return the edits of some examples of the batch, in this order."""
        nodes, offsets = stretches(self.offsets, chosen)
        inserted, inserted_offsets = stretches(self.inserted_offsets, chosen)
        pairs, pair_offsets = stretches(self.pair_offsets, chosen)
        return type(self)(
            offsets,
            self.labels[nodes],
            inserted_offsets,
            self.anchors[inserted],
            self.slots[inserted],
            pair_offsets,
            self.pairs[pairs],
            self.features[pairs],
        )

    def __len__(self) -> int:
        return len(self.offsets) - 1


@dataclass(frozen=True, eq=False)
class EditTargets:
    """The right answer to each score of ``EditArrays``: 0 is none, else 1 more than the label."""

    nodes: Ints
    """(nodes,): the label that a node gets, or 0 if it is deleted."""
    slots: Ints
    """(nodes, slots): the label of the node that is inserted, or 0."""
    pairs: Ints
    """(pairs,): the label of the edge, or 0."""

    @classmethod
    def join(cls, batches: Sequence[Self]) -> Self:
        """Return several batches as one."""
        return cls(*(_rows([getattr(b, name) for b in batches]) for name in ("nodes", "slots", "pairs")))

    def take(self, chosen: np.ndarray, edits: EditArrays) -> Self:
        """Return the answers of some examples of the batch, whose edits are these."""
        nodes, _ = stretches(edits.offsets, chosen)
        pairs, _ = stretches(edits.pair_offsets, chosen)
        return type(self)(self.nodes[nodes], self.slots[nodes], self.pairs[pairs])


@dataclass(frozen=True, eq=False)
class WholeTargets:
    """Graphs to be reached, with nodes in any order."""

    directed: bool
    offsets: Offsets
    """(examples + 1,): the nodes of each graph."""
    labels: Ints
    """(nodes,): from 0 up."""
    edge_offsets: Offsets
    edges: Ints
    """(edges, 3): the ends, counted in the example, and the label; of an undirected graph each edge once."""
    triangles: Floats
    """(nodes,) float64: in how many triangles each node is."""

    @classmethod
    def join(cls, batches: Sequence[Self]) -> Self:
        """Return several batches as one."""
        return cls(
            batches[0].directed,
            joined_offsets([b.offsets for b in batches]),
            _rows([b.labels for b in batches]),
            joined_offsets([b.edge_offsets for b in batches]),
            _rows([b.edges for b in batches]),
            np.concatenate([b.triangles for b in batches]),
        )

    def take(self, chosen: np.ndarray, edits: EditArrays) -> Self:
        """Return the graphs of some examples of the batch; what may be edited says nothing about them."""
        nodes, offsets = stretches(self.offsets, chosen)
        edges, edge_offsets = stretches(self.edge_offsets, chosen)
        return type(self)(
            self.directed, offsets, self.labels[nodes], edge_offsets, self.edges[edges], self.triangles[nodes]
        )


def stretches(offsets: Offsets, chosen: np.ndarray) -> tuple[Ints, Offsets]:
    """Return the places of all entries of some examples, one after another, and the offsets that they then have."""
    sizes = np.diff(offsets)[chosen]
    ends = offsets_of(sizes)
    return np.arange(ends[-1]) + np.repeat(offsets[chosen] - ends[:-1], sizes), ends


def joined_offsets(offsets: Sequence[Offsets]) -> Offsets:
    """Return offsets of batches as those of one batch."""
    every = np.concatenate(offsets)
    later = np.ones(len(every), np.bool_)
    later[np.cumsum([0, *map(len, offsets[:-1])])] = False
    return offsets_of(np.diff(every, prepend=0)[later])


def _rows(arrays: Sequence[Ints]) -> Ints:
    return np.ascontiguousarray(np.concatenate(arrays), np.int32)
