"""Text as a graph: one node a character."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np

from grapheme.errors import InvalidInputError
from grapheme.graph.abstract import AbstractGraph
from grapheme.graph.graph import Graph
from grapheme.kernels.csr import Csr

NEXT = 1
"""The label of an edge is how many characters it goes forward; by this one text is read back."""


@final
@dataclass(frozen=True, eq=False, repr=False)
class GraphemeGraph(AbstractGraph):
    """Characters joined in the order of the text, and perhaps to those a few places further on."""

    @classmethod
    def from_text(cls, text: str, window: int = 1) -> GraphemeGraph:
        """Return a node for each character (Unicode code point), with an edge to each of the next ``window``."""
        if not isinstance(text, str):
            raise InvalidInputError(f"Give the text as a string; got {type(text).__name__}.")
        if window < 1:
            raise InvalidInputError(f"The window is 1 or more characters; got {window}.")
        places = np.arange(len(text))
        steps = range(1, min(window, len(text) - 1) + 1)
        edges = [np.stack([places[:-step], places[step:]], axis=1) for step in steps]
        pairs = np.concatenate([np.zeros((0, 2), np.int64), *edges])
        labels = (pairs[:, 1] - pairs[:, 0]).tolist()
        return cls(Graph.from_edges(pairs, len(text), text, True, labels).csr)

    @classmethod
    def from_graph(cls, graph: AbstractGraph) -> GraphemeGraph:
        """Return a directed graph of characters as text; refuses one whose edges labelled 1 do not make a row."""
        labels = graph.node_labels if graph.node_labels is not None else () if not graph.nodes else None
        if labels is None or not all(isinstance(label, str) and len(label) == 1 for label in labels):
            raise InvalidInputError("A graph of text has one character as the label of every node.")
        if not graph.directed:
            raise InvalidInputError("A graph of text is directed: an edge leads on to what comes later.")
        _reading_order(graph.csr)
        return cls(graph.csr)

    def to_text(self) -> str:
        """Return the characters in the order in which the edges join them."""
        labels = self.node_labels or ()
        return "".join(str(labels[node]) for node in _reading_order(self.csr))


def _reading_order(graph: Csr) -> list[int]:
    """Return all nodes in the order of the edges to the next character."""
    labels = graph.edge_labels or (NEXT,) * graph.edges
    after = {a: b for (a, b), label in zip(graph.edge_list.tolist(), labels, strict=True) if label == NEXT}
    first = set(range(graph.nodes)) - set(after.values())
    order = [first.pop()] if len(first) == 1 else []
    while order and order[-1] in after and len(order) <= graph.nodes:
        order.append(after[order[-1]])
    if len(order) != graph.nodes or list(labels).count(NEXT) != max(graph.nodes - 1, 0):
        raise InvalidInputError(
            "The edges labelled 1 do not join all characters in one row, so there is no text to read."
        )
    return order
