"""The edit distance of graphs: always an interval that is proved to hold it, exact unless time runs out."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from grapheme.arrays import Bits, Ints
from grapheme.backend import Backend
from grapheme.backend.selection import resolve
from grapheme.errors import InvalidInputError
from grapheme.graph.abstract import AbstractGraph
from grapheme.graph.edit_codes import Coded, encode
from grapheme.graph.edit_costs import EditCosts
from grapheme.graph.edit_path import Edit, edit_path
from grapheme.graph.edit_solver import solve

DEFAULT = EditCosts()

Progress = Callable[[int, int], None]
"""Called with how many pairs are done, and of how many."""


@dataclass(frozen=True, eq=False)
class EditDistance:
    """``lower <= distance <= upper``, and a mapping of the nodes that costs ``upper``."""

    lower: float
    upper: float
    mapping: Ints
    """(nodes of g1,): the node of g2 that each becomes, or -1 if it is deleted; other nodes of g2 are inserted."""
    g1: AbstractGraph
    g2: AbstractGraph
    costs: EditCosts

    @property
    def optimal(self) -> bool:
        """Whether the distance is known exactly."""
        return self.lower == self.upper

    @cached_property
    def path(self) -> list[Edit]:
        """The edits that the mapping amounts to; their costs add up to ``upper``."""
        return edit_path(self.g1, self.g2, self.mapping, self.costs)

    def __repr__(self) -> str:
        return f"EditDistance(lower={self.lower:g}, upper={self.upper:g}, optimal={self.optimal})"


@dataclass(frozen=True, eq=False)
class EditDistances:
    """Proved intervals of many pairs: entry (i, j) is of turning graph i into graph j of the others."""

    lower: np.ndarray
    upper: np.ndarray

    @property
    def optimal(self) -> Bits:
        """Which distances are known exactly."""
        result: Bits = self.lower == self.upper
        return result


def edit_distance(
    g1: AbstractGraph,
    g2: AbstractGraph,
    costs: EditCosts | None = None,
    timeout: float | None = None,
    backend: Backend | str | None = None,
) -> EditDistance:
    """Return the least cost of turning ``g1`` into ``g2``; after ``timeout`` seconds the best interval so far.

    The fast bounds are computed whatever the time; ``timeout=0`` asks for nothing else.
    """
    deadline, costs = _deadline(timeout), costs or DEFAULT
    coded = encode([g1, g2], costs)
    found = solve(coded, np.array([[0, 1]], np.int32), resolve(backend), deadline)
    lower, upper = coded.costs(np.concatenate([found.lower, found.upper])).tolist()
    return EditDistance(lower, upper, found.mapping[0, : g1.nodes], g1, g2, costs)


def edit_distances(
    graphs: Sequence[AbstractGraph],
    others: Sequence[AbstractGraph] | None = None,
    costs: EditCosts | None = None,
    timeout: float | None = None,
    backend: Backend | str | None = None,
    progress: Progress | None = None,
) -> EditDistances:
    """Return the intervals (graphs, others) of all pairs, by default of the graphs among each other.

    When ``timeout`` seconds have passed, the pairs still open get their fast bounds only.
    """
    deadline = _deadline(timeout)
    rows, columns = list(graphs), list(graphs if others is None else others)
    shape = len(rows), len(columns)
    if not all(shape):
        return EditDistances(np.zeros(shape), np.zeros(shape))
    coded = encode(rows if others is None else rows + columns, costs or DEFAULT)
    wanted = _among_each_other(coded, len(rows)) if others is None else np.ones(shape, np.bool_)
    offset = np.array([0, 0 if others is None else len(rows)])
    pairs = (np.argwhere(wanted) + offset).astype(np.int32)

    def report(done: int) -> None:
        if progress is not None:
            progress(done, len(pairs))

    found = solve(coded, pairs, resolve(backend), deadline, report)
    lower, upper = np.zeros(shape), np.zeros(shape)
    lower[wanted], upper[wanted] = coded.costs(found.lower), coded.costs(found.upper)
    if others is None and _symmetric(coded):
        lower, upper = np.maximum(lower, lower.T), np.maximum(upper, upper.T)
    return EditDistances(lower, upper)


def _among_each_other(coded: Coded, count: int) -> Bits:
    """Return which pairs (count, count) have to be computed; the others are 0 or the same the other way round."""
    free = not np.diagonal(coded.problem.node_costs).any() and not np.diagonal(coded.problem.edge_costs).any()
    every = np.ones((count, count), np.bool_)
    half = np.triu(every) if _symmetric(coded) else every
    return half & ~np.eye(count, dtype=np.bool_) if free else half


def _symmetric(coded: Coded) -> bool:
    tables = coded.problem.node_costs, coded.problem.edge_costs
    return all(np.array_equal(table, table.T) for table in tables)


def _deadline(timeout: float | None) -> float:
    """Return when time is up, by ``time.monotonic``."""
    if timeout is None:
        return math.inf
    if not timeout >= 0:
        raise InvalidInputError(f"A timeout is a number of seconds from 0 up, or None for no limit; got {timeout}.")
    return time.monotonic() + timeout
