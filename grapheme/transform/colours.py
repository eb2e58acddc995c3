"""Colours of nodes that two graphs share: what a node is joined to, and how, further and further out.

Weisfeiler and Leman (1968), with colours that are places in an order: of the labels first, then of what is near, then
of what is further away. So the order of two nodes that differ nearby does not depend on what is far away, and nothing here
depends on the numbers of the nodes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from grapheme.transform.coding import CodedGraph

ROUNDS = 4

Signature = tuple[tuple[int, int], ...]


@dataclass(frozen=True, eq=False)
class Colours:
    """Of all nodes of both graphs, the first graph's first."""

    context: np.ndarray
    """(ways, rounds, nodes): what is around a node, itself left out, by the way that edges go; 0 is nothing."""
    order: np.ndarray
    """(nodes,): the last colour, a place in the order of all nodes; nodes that nothing sets apart share one."""


def shared_colours(first: CodedGraph, second: CodedGraph) -> Colours:
    """Return colours that are equal where two nodes of either graph look the same."""
    labels = np.concatenate([first.labels, second.labels])
    ways = _ways(first, second)
    context = np.array([_rounds(labels, near)[1:] for near in ways])
    both = _rounds(labels, ways[0] if len(ways) == 1 else _merged(ways))
    order = _ranks([(int(labels[v]), *(int(colours[v]) for colours in both[1:])) for v in range(len(labels))])
    return Colours(context, np.array(order))


def _ways(first: CodedGraph, second: CodedGraph) -> list[list[list[tuple[int, int]]]]:
    """Return for each way of the edges, and each node, the relations and nodes that it is joined to."""
    near: list[list[list[tuple[int, int]]]] = [
        [[] for _ in range(first.nodes + second.nodes)] for _ in range(1 + first.directed)
    ]
    for graph, offset in ((first, 0), (second, first.nodes)):
        for node, relation, source in graph.arcs.tolist():
            near[relation % 2 if graph.directed else 0][offset + node].append((relation, offset + source))
    return near


def _merged(ways: list[list[list[tuple[int, int]]]]) -> list[list[tuple[int, int]]]:
    return [[*there, *back] for there, back in zip(*ways, strict=True)]


def _rounds(labels: np.ndarray, near: list[list[tuple[int, int]]]) -> list[list[int]]:
    """Return at first the labels, and then the ranks of what is around each node after each round."""
    colours = [int(label) for label in labels]
    found = [colours]
    for _ in range(ROUNDS):
        signatures: list[Signature] = [
            tuple(sorted((relation, colours[other]) for relation, other in arcs)) for arcs in near
        ]
        found.append(_ranks(signatures, first=int(() not in signatures)))
        colours = _ranks(list(zip(labels.tolist(), found[-1], strict=True)))
    return found


def _ranks(values: Sequence[tuple], first: int = 0) -> list[int]:  # type: ignore[type-arg]
    """Return the place of each value in the order of the different ones."""
    place = {value: i for i, value in enumerate(sorted(set(values)), first)}
    return [place[value] for value in values]
