"""Graphs as the codes and tables that edit-distance kernels work on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from grapheme.arrays import Ints
from grapheme.errors import InvalidInputError
from grapheme.graph.abstract import AbstractGraph
from grapheme.graph.edit_costs import EditCosts, Label, whole_numbers
from grapheme.graph.labels import edge_labels, node_labels
from grapheme.kernels.edits import EditProblem

MOST_NODES = 10_000
"""The matrices of a pair of this size take about 2 GB."""


@dataclass(frozen=True, eq=False)
class Coded:
    """A batch of graphs in codes; ``pairs`` of the problem are still to be chosen."""

    problem: EditProblem
    sizes: np.ndarray
    """(G,): how many nodes each graph has."""
    unit: Fraction
    """What a cost of 1 in the tables means."""

    def costs(self, whole: np.ndarray) -> np.ndarray:
        """Return costs in whole units as the user counts them, float64."""
        return whole * float(self.unit.numerator) / float(self.unit.denominator)

    def choose(self, pairs: Ints) -> EditProblem:
        """Return the problem of pairs of which the first graph has no more nodes than the second."""
        return replace(self.problem, pairs=pairs)

    def reversed(self) -> Coded:
        """Return the same graphs with insertion and deletion exchanged: the problem of the way back."""
        problem = self.problem
        turned = replace(
            problem,
            node_costs=np.ascontiguousarray(problem.node_costs.T),
            edge_costs=np.ascontiguousarray(problem.edge_costs.T),
        )
        return replace(self, problem=turned)


def encode(graphs: Sequence[AbstractGraph], costs: EditCosts) -> Coded:
    """Return the graphs in codes and the costs in whole numbers."""
    _check(graphs)
    of_nodes, node_codes = _codes([node_labels(g) for g in graphs])
    of_edges, edge_codes = _codes([edge_labels(g) for g in graphs])
    size = max(g.nodes for g in graphs)
    nodes = np.zeros((len(graphs), size), np.int32)
    arcs = np.zeros((len(graphs), size, size), np.int32)
    for x, g in enumerate(graphs):
        nodes[x, : g.nodes] = node_codes[x]
        ends = g.edge_list.T
        arcs[x, ends[0], ends[1]] = edge_codes[x]
        if not g.directed:
            arcs[x, ends[1], ends[0]] = edge_codes[x]
    (node_costs, edge_costs), unit = whole_numbers(
        [costs.node_table(of_nodes), costs.edge_table(of_edges)], 2 * size * (size + 1)
    )
    nodes, node_costs = _with_loops(nodes, node_costs, arcs, edge_costs)
    if graphs[0].directed:
        arcs, edge_costs = _combined(arcs, arcs.swapaxes(1, 2), edge_costs, edge_costs)
    problem = EditProblem(nodes, arcs, node_costs, edge_costs, np.zeros((0, 2), np.int32))
    return Coded(problem, np.array([g.nodes for g in graphs]), unit)


def _check(graphs: Sequence[AbstractGraph]) -> None:
    for g in graphs:
        if not isinstance(g, AbstractGraph):
            kind = type(g).__name__
            raise InvalidInputError(f"Give graphs; got {kind}. A networkx graph becomes one by Graph.from_networkx.")
        if g.directed != graphs[0].directed:
            raise InvalidInputError("An edit distance is between graphs that are both directed or both undirected.")
        if g.nodes > MOST_NODES:
            raise InvalidInputError(f"Edit distances take graphs of up to {MOST_NODES} nodes; got {g.nodes}.")


def _codes(labels: Sequence[Sequence[Label]]) -> tuple[list[Label], list[list[int]]]:
    """Return the labels that occur, in order, and for each graph their numbers from 1."""
    known: dict[Label, int] = {}
    codes = [[known.setdefault(label, len(known) + 1) for label in row] for row in labels]
    return list(known), codes


def _with_loops(nodes: Ints, node_costs: np.ndarray, arcs: Ints, edge_costs: np.ndarray) -> tuple[Ints, np.ndarray]:
    """Move the loops from the diagonals of ``arcs`` into the nodes' codes: a loop comes and goes with its node."""
    every = np.arange(arcs.shape[1])
    loops = arcs[:, every, every]
    if not loops.any():
        return nodes, node_costs
    arcs[:, every, every] = 0
    return _combined(nodes, loops, node_costs, edge_costs)


def _combined(first: Ints, second: Ints, costs: np.ndarray, more: np.ndarray) -> tuple[Ints, np.ndarray]:
    """Return one code for each two that occur together, and what turning one such pair into another costs."""
    both, codes = np.unique(np.append(0, first.astype(np.int64) * len(more) + second), return_inverse=True)
    high, low = np.divmod(both, len(more))
    table = costs[np.ix_(high, high)] + more[np.ix_(low, low)]
    return codes[1:].reshape(first.shape).astype(np.int32), table
