"""Colour refinement: what a node is joined to, and how, further and further out (Weisfeiler and Leman 1968).

A round gives each node a new colour, which depends on its own and on what is around it: the marks of its arcs with the
colours at their other ends, in whatever order. Callers differ only in what they call a colour: bytes that are the same
in every process, or places in an order.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeVar

Mark = TypeVar("Mark", int, bytes)
Colour = TypeVar("Colour", int, bytes)

Surroundings = list[tuple[tuple[Mark, Colour], ...]]
Neighbours = list[list[tuple[Mark, int]]]


def neighbours(nodes: int, arcs: Iterable[tuple[int, Mark, int]]) -> Neighbours[Mark]:
    """Return for each node the marks and other ends of its arcs, which are given as (node, mark, other)."""
    near: Neighbours[Mark] = [[] for _ in range(nodes)]
    for node, mark, other in arcs:
        near[node].append((mark, other))
    return near


def surroundings(colours: Sequence[Colour], near: Neighbours[Mark]) -> Surroundings[Mark, Colour]:
    """Return what each node sees in a round: marks with colours, ascending, so that the order of arcs is forgotten."""
    return [tuple(sorted([(mark, colours[other]) for mark, other in arcs])) for arcs in near]
