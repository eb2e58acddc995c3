"""The labels that a network knows: those of the graphs it is trained on."""

from __future__ import annotations

import json
from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Self, final

import numpy as np

from grapheme.arrays import Ints
from grapheme.errors import InvalidInputError
from grapheme.graph.abstract import AbstractGraph
from grapheme.graph.labels import edge_labels, labels_of, node_labels, text_of
from grapheme.kernels.csr import Labels
from grapheme.models.model import from_json_tensor, json_tensor


@final
@dataclass(frozen=True)
class Vocabulary:
    """Labels of nodes and of edges, in an order that depends on nothing but the labels; None stands for no label."""

    labels: Labels
    edge_labels: Labels
    directed: bool

    @classmethod
    def of(cls, graphs: Iterable[AbstractGraph]) -> Self:
        """Return the labels of graphs, which are all directed or none."""
        of_nodes: dict[str, Hashable] = {}
        of_edges: dict[str, Hashable] = {}
        ways = set()
        for graph in graphs:
            ways.add(graph.directed)
            of_nodes.update((text_of(label), label) for label in node_labels(graph))
            of_edges.update((text_of(label), label) for label in edge_labels(graph))
        if len(ways) != 1:
            raise InvalidInputError("Give at least one graph, and only directed or only undirected ones.")
        return cls(_ordered(of_nodes), _ordered(of_edges), ways.pop())

    def nodes(self, graph: AbstractGraph) -> Ints:
        """Return the number (nodes,) of each node's label, from 0 up."""
        return self._numbers(self._labels, node_labels(graph), "node", graph)

    def edges(self, graph: AbstractGraph) -> Ints:
        """Return the number (edges,) of each edge's label, from 0 up."""
        return self._numbers(self._edge_labels, edge_labels(graph), "edge", graph)

    def to_bytes(self) -> np.ndarray:
        """Return the vocabulary as JSON in an array of bytes, to be kept beside parameters."""
        record = {"labels": self.labels, "edge_labels": self.edge_labels, "directed": self.directed}
        return json_tensor(record)

    @classmethod
    def from_bytes(cls, content: np.ndarray) -> Self:
        """Return what ``to_bytes`` wrote."""
        record = from_json_tensor(content)
        return cls(labels_of(record["labels"]), labels_of(record["edge_labels"]), record["directed"])

    @cached_property
    def _labels(self) -> dict[str, int]:
        return {text_of(label): i for i, label in enumerate(self.labels)}

    @cached_property
    def _edge_labels(self) -> dict[str, int]:
        return {text_of(label): i for i, label in enumerate(self.edge_labels)}

    def _numbers(self, known: dict[str, int], labels: Labels, what: str, graph: AbstractGraph) -> Ints:
        if graph.directed != self.directed:
            wanted = "directed" if self.directed else "undirected"
            raise InvalidInputError(f"The network was trained on {wanted} graphs; this one is not.")
        try:
            return np.array([known[text_of(label)] for label in labels], np.int32)
        except KeyError as error:
            raise InvalidInputError(
                f"No {what} in the training set has the label {json.loads(error.args[0])!r}; "
                f"the network knows {len(known)} labels of {what}s and cannot take others."
            ) from None


def _ordered(labels: dict[str, Hashable]) -> Labels:
    return tuple(labels[text] for text in sorted(labels))
