"""The functions by which networkx prices edits, as the tables that our edit distance takes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import numpy as np

from grapheme.graph.edit_costs import EditCosts
from grapheme.graph.graph import Graph
from grapheme.kernels.csr import Labels
from grapheme.networkx_backend.named import NamedGraph

Attributes: TypeAlias = Mapping[str, Any]
OfOne: TypeAlias = Callable[[Attributes], float] | None
OfTwo: TypeAlias = Callable[[Attributes, Attributes], Any] | None


@dataclass(frozen=True)
class Pricing:
    """The functions for nodes, or those for edges; each is given attributes, and None is networkx's default."""

    match: OfTwo = None
    substitution: OfTwo = None
    deletion: OfOne = None
    insertion: OfOne = None

    def tables(self, first: Sequence[Attributes], second: Sequence[Attributes]) -> Tables:
        """Return the costs of turning any of the ``first`` into any of the ``second``."""
        if not any((self.match, self.substitution, self.deletion, self.insertion)):
            return Tables()
        between = [[self._substitute(one, other) for other in second] for one in first]
        return _tables(
            np.array(between, np.float64).reshape(len(first), len(second)),
            np.array([self.deletion(one) if self.deletion else 1 for one in first], np.float64),
            np.array([self.insertion(other) if self.insertion else 1 for other in second], np.float64),
        )

    def _substitute(self, one: Attributes, other: Attributes) -> float:
        if self.substitution:
            return self.substitution(one, other)  # type: ignore[no-any-return]
        return 1 - int(self.match(one, other)) if self.match else 0


@dataclass(frozen=True)
class Tables:
    """Labels for two graphs, none of them in both, and what they cost; by default no labels, and 1 for each edit."""

    first: Labels | None = None
    second: Labels | None = None
    substitution: np.ndarray | float = 1.0
    """(labels, labels)"""
    insertion: np.ndarray | float = 1.0
    """(labels,)"""
    deletion: np.ndarray | float = 1.0
    """(labels,)"""


def priced(first: NamedGraph, second: NamedGraph, nodes: Pricing, edges: Pricing) -> tuple[Graph, Graph, EditCosts]:
    """Return two graphs, labelled such that costs by label are what the functions say of each pair."""
    node = nodes.tables(_node_attributes(first), _node_attributes(second))
    edge = edges.tables(_edge_attributes(first), _edge_attributes(second))
    one = replace(first.graph.csr, node_labels=node.first, edge_labels=edge.first)
    other = replace(second.graph.csr, node_labels=node.second, edge_labels=edge.second)
    costs = EditCosts(
        node.substitution, node.insertion, node.deletion, edge.substitution, edge.insertion, edge.deletion
    )
    return Graph(one), Graph(other), costs


def _tables(between: np.ndarray, deletion: np.ndarray, insertion: np.ndarray) -> Tables:
    """Return one label for all that cost the same whatever they meet, which is far fewer than one for each."""
    rows, first = np.unique(np.column_stack([between, deletion]), axis=0, return_inverse=True)
    columns, second = np.unique(np.column_stack([between.T, insertion]), axis=0, return_inverse=True)
    a, b = len(rows), len(columns)
    substitution = np.zeros((a + b, a + b))
    substitution[np.ix_(first, second + a)] = between
    # What is in the first graph is never inserted, nor what is in the second deleted.
    never_inserted, never_deleted = np.zeros(a), np.zeros(b)
    return Tables(
        tuple(first.tolist()),
        tuple((second + a).tolist()),
        substitution,
        np.concatenate([never_inserted, columns[:, -1]]),
        np.concatenate([rows[:, -1], never_deleted]),
    )


def _node_attributes(graph: NamedGraph) -> list[Attributes]:
    return [graph.source.nodes[name] for name in graph.names]


def _edge_attributes(graph: NamedGraph) -> list[Attributes]:
    return [graph.source.edges[graph.names[a], graph.names[b]] for a, b in graph.graph.edge_list.tolist()]
