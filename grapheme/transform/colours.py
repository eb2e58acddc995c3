"""Colours of nodes that two graphs share: places in an order of the labels first, then of what is near, then further.

So the order of two nodes that differ nearby does not depend on what is far away, and nothing here depends on the
numbers of the nodes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from grapheme.graph.refinement import neighbours, surroundings
from grapheme.transform.coding import CodedGraph

ROUNDS = 4


@dataclass(frozen=True, eq=False)
class Colours:
    """Of all nodes of both graphs, the first graph's first."""

    context: np.ndarray
    """(ways, rounds, nodes): what is around a node, itself left out, by the way that edges go; 0 is nothing."""
    order: np.ndarray
    """(nodes,): the last colour, a place in the order of all nodes; nodes that nothing sets apart share one."""


def shared_colours(first: CodedGraph, second: CodedGraph) -> Colours:
    """Return colours that are equal where two nodes of either graph look the same."""
    labels, arcs = np.concatenate([first.labels, second.labels]), _arcs(first, second)
    both = _rounds(labels, arcs)
    ways = [_rounds(labels, arcs[arcs[:, 1] % 2 == way]) for way in (0, 1)] if first.directed else [both]
    order = _ranks([(int(labels[v]), *(int(colours[v]) for colours in both[1:])) for v in range(len(labels))])
    return Colours(np.array([rounds[1:] for rounds in ways]), np.array(order))


def _arcs(first: CodedGraph, second: CodedGraph) -> np.ndarray:
    """Return the arcs (arcs, 3) of both graphs; the second's nodes are numbered after the first's."""
    return np.concatenate([first.arcs, second.arcs + np.array([first.nodes, 0, first.nodes])])


def _rounds(labels: np.ndarray, arcs: np.ndarray) -> list[list[int]]:
    """Return at first the labels, and then the ranks of what is around each node after each round."""
    near = neighbours(len(labels), arcs.tolist())
    colours = [int(label) for label in labels]
    found = [colours]
    for _ in range(ROUNDS):
        around = surroundings(colours, near)
        found.append(_ranks(around, first=int(() not in around)))
        colours = _ranks(list(zip(labels.tolist(), found[-1], strict=True)))
    return found


def _ranks(values: Sequence[tuple], first: int = 0) -> list[int]:  # type: ignore[type-arg]
    """Return the place of each value in the order of the different ones."""
    place = {value: i for i, value in enumerate(sorted(set(values)), first)}
    return [place[value] for value in values]
