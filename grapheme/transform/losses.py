"""What a network is trained to make small: doubts about single edits, or the distance of a soft graph from a target."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import final

import numpy as np

from grapheme.arrays import Array, Bits, Floats
from grapheme.backend import Backend
from grapheme.errors import InvalidInputError
from grapheme.graph import Graph, k_cliques
from grapheme.kernels.cortex import Settings
from grapheme.kernels.graph_arrays import EditArrays, WholeTargets
from grapheme.transform.coding import CodedGraph
from grapheme.transform.space import EditSpace
from grapheme.transform.supervision import Example, Plan, supervise

Logits = tuple[Array, Array, Array]
"""Of nodes, slots and pairs."""


@dataclass(frozen=True)
class AbstractLoss(ABC):
    """A loss: what an example looks like for it, what it costs, and whether it is right."""

    @abstractmethod
    def example(self, source: CodedGraph, target: CodedGraph, plan: Plan, space: EditSpace) -> Example:
        """Return a pair as the kernels see it."""

    @abstractmethod
    def of(self, batch: Example, logits: Logits, backend: Backend) -> tuple[Array, Array, Array, Array]:
        """Return the loss of each example, and the gradients of the logits."""

    @property
    @abstractmethod
    def settings(self) -> Settings | None:
        """What the kernel ``learn`` is told of it."""

    @abstractmethod
    def right(self, batch: Example, logits: Sequence[Floats]) -> Bits:
        """Return which examples (examples,) are right when every decision is the likeliest one."""


@final
@dataclass(frozen=True)
class EditLoss(AbstractLoss):
    """The cross entropy of every decision, given which edits turn the source into the target."""

    def example(self, source: CodedGraph, target: CodedGraph, plan: Plan, space: EditSpace) -> Example:
        """Return the edits to be scored and those that are right."""
        return supervise(source, target, plan, space)

    def of(self, batch: Example, logits: Logits, backend: Backend) -> tuple[Array, Array, Array, Array]:
        """Return cross entropies and their gradients."""
        return backend.cortex.edit_loss(batch.edits, batch.edit_targets, *logits)

    @property
    def settings(self) -> None:
        """There is nothing to tell."""
        return None

    def right(self, batch: Example, logits: Sequence[Floats]) -> Bits:
        """Return of which examples every decision is right."""
        targets = batch.edit_targets
        wanted = targets.nodes, targets.slots, targets.pairs
        wrong = [logit.argmax(axis=-1) != right for logit, right in zip(logits, wanted, strict=True)]
        on_nodes = _sums(wrong[0] | wrong[1].any(axis=1), batch.edits.offsets)
        return np.asarray(on_nodes + _sums(wrong[2], batch.edits.pair_offsets) == 0)


@final
@dataclass(frozen=True)
class StructuralLoss(AbstractLoss):
    """The distance of the soft graph of all decisions from a target whose nodes have no order.

    Nodes are assigned to each other by Sinkhorn's algorithm, and the gradient goes through its iterations.
    """

    node: float = 1.0
    edge: float = 0.5
    clique: float = 2.0
    iterations: int = 20
    temperature: float = 0.1

    def __post_init__(self) -> None:
        if min(self.node, self.edge, self.clique) < 0 or self.iterations < 1 or not self.temperature > 0:
            raise InvalidInputError(
                "The structural loss needs weights from 0 up, at least one iteration and a temperature above 0."
            )

    def example(self, source: CodedGraph, target: CodedGraph, plan: Plan, space: EditSpace) -> Example:
        """Return all edits that there are, and the target as it is; the plan says nothing here."""
        anchors, slots = space.every_slot(source.nodes)
        edits = space.edits(source, np.ones(source.nodes, np.bool_), anchors, slots)
        return Example(source.arrays(), edits, whole_target(target))

    def of(self, batch: Example, logits: Logits, backend: Backend) -> tuple[Array, Array, Array, Array]:
        """Return distances and their gradients."""
        return backend.cortex.structural_loss(batch.edits, batch.whole_targets, *logits, *self.settings)

    @property
    def settings(self) -> Settings:
        """The weights of the three distances, iterations and temperature."""
        return (self.node, self.edge, self.clique), self.iterations, self.temperature

    def right(self, batch: Example, logits: Sequence[Floats]) -> Bits:
        """Return which examples have, rounded, as many nodes of each label and edges of each kind as their target.

        What else there may be to say against them, a look at the whole graphs says; it would take too long here.
        """
        targets = batch.targets
        assert isinstance(targets, WholeTargets)
        nodes, slots, pairs = (logit.argmax(axis=-1) for logit in logits)
        return np.array([
            _same_counts(batch.edits, targets, nodes, slots, pairs, i) for i in range(len(batch))
        ], np.bool_)  # fmt: skip


LOSSES: dict[str, AbstractLoss] = {"edits": EditLoss(), "structural": StructuralLoss()}
"""Losses by name; the first is used unless another is asked for."""


def whole_target(target: CodedGraph) -> WholeTargets:
    """Return a target for the structural loss, with the triangles that the graph kernels find in it."""
    graph = Graph.from_edges(target.edges, target.nodes, directed=target.directed)
    triangles = np.bincount(k_cliques(graph, 3, backend="numpy").ravel(), minlength=target.nodes).astype(np.float64)
    edges = np.concatenate([target.edges, target.kinds[:, None]], axis=1).astype(np.int32)
    counts = np.array([0, target.nodes], np.int64), np.array([0, len(edges)], np.int64)
    return WholeTargets(target.directed, counts[0], target.labels, counts[1], edges, triangles)


def _same_counts(
    edits: EditArrays, targets: WholeTargets, nodes: np.ndarray, slots: np.ndarray, pairs: np.ndarray, example: int
) -> bool:
    first, last = edits.offsets[example : example + 2]
    new = slice(*edits.inserted_offsets[example : example + 2])
    mine = slice(*edits.pair_offsets[example : example + 2])
    codes = np.concatenate([nodes[first:last], slots[first + edits.anchors[new], edits.slots[new]]])
    there = (codes[edits.pairs[mine]] > 0).all(axis=1)
    kinds = pairs[mine][there]
    wanted = targets.labels[slice(*targets.offsets[example : example + 2])]
    edges = targets.edges[slice(*targets.edge_offsets[example : example + 2]), 2]
    return np.array_equal(np.sort(codes[codes > 0] - 1), np.sort(wanted)) and np.array_equal(
        np.sort(kinds[kinds > 0] - 1), np.sort(edges)
    )


def _sums(flags: np.ndarray, offsets: np.ndarray) -> np.ndarray:
    """Return how many flags are set in each stretch."""
    return np.diff(np.concatenate([[0], np.cumsum(flags)])[offsets])
