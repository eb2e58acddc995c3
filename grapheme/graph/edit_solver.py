"""Runs the edit-distance kernels: bounds for every pair, then slices of search until all is proved or time is up."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import TypeVar

import numpy as np

from grapheme.arrays import Array, Ints
from grapheme.backend import Backend
from grapheme.graph.edit_codes import Coded
from grapheme.kernels.edits import DELETED, OPEN, EditProblem, EditSearch

BLOCK = 512
"""Pairs to solve at once; progress is reported after each block."""
AT_ONCE = 64
"""Subtrees to search at once, or as many as there are pairs."""
FIRST = 1000
"""Partial mappings of a pair to look at in the first slice; each further slice looks at twice as many."""
SLICE = 12_000_000
"""Cells of branch matrices to fill and assign in one slice at most, about a twentieth of a second."""
MANY = 50_000
"""Open subtrees above which the search goes down instead of round, so that their number stays in bounds."""

Record = TypeVar("Record", EditProblem, EditSearch)


@dataclass(frozen=True, eq=False)
class Intervals:
    """What is proved of P pairs, in whole units."""

    lower: np.ndarray
    upper: np.ndarray
    mapping: Ints
    """(P, N): for each node of the first graph one of the second, or ``DELETED``."""


def solve(
    coded: Coded, pairs: Ints, backend: Backend, deadline: float, report: Callable[[int], None] = lambda done: None
) -> Intervals:
    """Return the intervals of pairs (P, 2) of graphs, exact unless the clock passes ``deadline`` (time.monotonic)."""
    lower, upper = np.zeros(len(pairs), np.int64), np.zeros(len(pairs), np.int64)
    mapping = np.full((len(pairs), coded.problem.nodes.shape[1]), DELETED, np.int32)
    turned = coded.sizes[pairs[:, 0]] > coded.sizes[pairs[:, 1]]
    done = 0
    for turn in (False, True):
        source = coded.reversed() if turn else coded
        chosen = np.flatnonzero(turned == turn)
        for block in np.split(chosen, range(BLOCK, len(chosen), BLOCK)) if len(chosen) else ():
            ordered = np.ascontiguousarray(pairs[block][:, ::-1] if turn else pairs[block], np.int32)
            found = _solve(source, ordered, backend, deadline)
            lower[block], upper[block] = found.lower, found.upper
            mapping[block] = _inverse(found.mapping) if turn else found.mapping
            done += len(block)
            report(done)
    return Intervals(lower, upper, mapping)


def _solve(coded: Coded, pairs: Ints, backend: Backend, deadline: float) -> Intervals:
    problem = _convert(coded.choose(pairs), backend.asarray)
    lower, upper, mapping = map(backend.to_numpy, backend.graph.edit_bounds(problem))
    unproved = np.flatnonzero(lower < upper).astype(np.int32)
    inside = np.arange(mapping.shape[1]) < coded.sizes[pairs[unproved, 0]][:, None]
    subtrees = np.where(inside, OPEN, DELETED).astype(np.int32)
    search = EditSearch(upper, mapping, unproved, subtrees, lower[unproved])
    nodes = FIRST * len(unproved)
    while len(search.owner) and time.monotonic() < deadline:
        nodes = min(nodes, max(1, SLICE // mapping.shape[1] ** 3))
        search = _advance(problem, search, backend, nodes)
        nodes *= 2
    proved = search.upper.copy()
    np.minimum.at(proved, search.owner, search.bound)
    return Intervals(np.maximum(lower, proved), search.upper, search.mapping)


def _advance(problem: EditProblem, search: EditSearch, backend: Backend, nodes: int) -> EditSearch:
    """Look at ``nodes`` partial mappings in some of the open subtrees, those with the lowest bounds first."""
    open_rows = (search.subtrees == OPEN).sum(axis=1)
    order = np.argsort(search.bound if len(search.owner) < MANY else open_rows, kind="stable")
    most = min(max(AT_ONCE, len(search.upper)), nodes)
    now, later = order[:most], order[most:]
    chosen = EditSearch(search.upper, search.mapping, search.owner[now], search.subtrees[now], search.bound[now])
    kernel = backend.graph.edit_search
    found = kernel(problem, _convert(chosen, backend.asarray), max(1, nodes // len(now)))
    found = _convert(found, backend.to_numpy)
    owner = np.concatenate([found.owner, search.owner[later]])
    subtrees = np.concatenate([found.subtrees, search.subtrees[later]])
    bound = np.concatenate([found.bound, search.bound[later]])
    kept = bound < found.upper[owner]
    return EditSearch(found.upper, found.mapping, owner[kept], subtrees[kept], bound[kept])


def _convert(record: Record, door: Callable[[Array], Array]) -> Record:
    """Return a record with every array passed through one of a backend's doors."""
    return type(record)(*(door(getattr(record, field.name)) for field in fields(record)))


def _inverse(mapping: Ints) -> Ints:
    """Return mappings (P, N) the other way round."""
    inverse = np.full_like(mapping, DELETED)
    pair, source = np.nonzero(mapping != DELETED)
    inverse[pair, mapping[pair, source]] = source
    return inverse
