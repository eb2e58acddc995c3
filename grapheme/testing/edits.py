"""Cases for edit distances: what the contract fixes is compared, and any mapping is held against its own cost."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from grapheme.arrays import Ints
from grapheme.backend.selection import get_backend
from grapheme.kernels import GraphKernels
from grapheme.kernels.edits import DELETED, OPEN, EditProblem, EditSearch
from grapheme.testing.case import Case, Named
from grapheme.testing.graph_pairs import edit_problems, small_edit_problems

ALL = 2**40
"""A budget that no search uses up."""
PATIENCE = 10_000
"""Calls after which a search is taken for one that never ends."""


def cases() -> Iterator[Case]:
    """Yield every case, smallest graphs first."""
    for name, problem in edit_problems():
        yield Case(GraphKernels.edit_bounds, name, (problem,), functools.partial(_bounds, problem))
    for name, problem in small_edit_problems():
        for budget in (1, 7, ALL):
            shown = "without end" if budget == ALL else f"{budget} at a time"
            arguments = (problem, beginning(problem), budget)
            yield Case(
                GraphKernels.edit_search, f"{name}, {shown}", arguments, functools.partial(_end, problem), to_the_end
            )
        arguments = (problem, beginning(problem), 5)
        yield Case(GraphKernels.edit_search, f"{name}, one slice", arguments, functools.partial(_slice, problem))


def beginning(problem: EditProblem) -> EditSearch:
    """Return a search that has looked at nothing yet: all nodes are deleted and inserted."""
    count, size = len(problem.pairs), problem.nodes.shape[1]
    deleted = np.full((count, size), DELETED, np.int32)
    inside = problem.nodes[problem.pairs[:, 0]] != 0
    return EditSearch(
        upper=mapping_costs(problem, deleted),
        mapping=deleted,
        owner=np.arange(count, dtype=np.int32),
        subtrees=np.where(inside, OPEN, DELETED).astype(np.int32),
        bound=np.zeros(count, np.int64),
    )


def to_the_end(kernel: Callable[..., EditSearch], arguments: tuple[Any, ...]) -> EditSearch:
    """Search until no subtree is left."""
    problem, budget = arguments[0], arguments[2]
    search: EditSearch = arguments[1]
    for _ in range(PATIENCE):
        if not search.owner.shape[0]:
            break
        search = kernel(problem, search, budget)
    return search


def mapping_costs(problem: EditProblem, mapping: Ints) -> np.ndarray:
    """Return what mappings (P, N) cost, (P,) int64; what is out of bounds counts as deleted."""
    nodes, edges = np.pad(problem.nodes, ((0, 0), (0, 1))), np.pad(problem.edges, ((0, 0), (0, 1), (0, 1)))
    costs = np.zeros(len(problem.pairs), np.int64)
    for p, (x, y) in enumerate(problem.pairs):
        n, m = np.count_nonzero(problem.nodes[[x, y]], axis=1)
        becomes = mapping[p, :n].astype(np.int64)
        becomes[(becomes < 0) | (becomes >= m)] = DELETED
        inserted = np.setdiff1d(np.arange(m), becomes)
        # The index -1 of none points at the padding, whose codes are all 0.
        left = np.concatenate([np.arange(n), np.full(len(inserted), -1)])
        right = np.concatenate([becomes, inserted])
        pairs = problem.edge_costs[edges[x][np.ix_(left, left)], edges[y][np.ix_(right, right)]]
        costs[p] = problem.node_costs[nodes[x, left], nodes[y, right]].sum() + np.triu(pairs, 1).sum()
    return costs


def faults(problem: EditProblem, mapping: Ints) -> Ints:
    """Return 1 where an entry of mappings (P, N) may not be: out of bounds, or a node that another has become."""
    found = np.zeros(mapping.shape, mapping.dtype)
    for p, (x, y) in enumerate(problem.pairs[: len(mapping)]):
        n, m = np.count_nonzero(problem.nodes[[x, y]], axis=1)
        for i, node in enumerate(mapping[p].tolist()):
            taken = node in mapping[p, :i] and node != DELETED
            found[p, i] = taken or not (node == DELETED or (i < n and 0 <= node < m and node == int(node)))
    return found


def _bounds(problem: EditProblem, lower: np.ndarray, upper: np.ndarray, mapping: Ints) -> Named:
    return {"lower bounds": lower, **_mapped(problem, upper, mapping)}


def _end(problem: EditProblem, search: EditSearch) -> Named:
    return {
        "subtrees left": np.array([len(search.owner)]),
        "distances": search.upper,
        **_mapped(problem, search.upper, search.mapping),
    }


def _slice(problem: EditProblem, search: EditSearch) -> Named:
    """Name what holds of a search wherever it stands: its lowest bound is not above the distance."""
    proved = search.upper.copy()
    np.minimum.at(proved, search.owner, search.bound)
    return {**_mapped(problem, search.upper, search.mapping), "bounds that hold": proved <= _distances(problem)}


def _mapped(problem: EditProblem, upper: np.ndarray, mapping: Ints) -> Named:
    """Name the entries of a mapping that may not be, and by how much its cost is off; right are zeros."""
    fits = upper.shape == problem.pairs.shape[:1] and mapping.shape == (len(upper), problem.nodes.shape[1])
    apart = upper - mapping_costs(problem, mapping) if fits else upper
    return {
        "entries that may not be in the mappings": faults(problem, mapping),
        "costs beside those of the mappings": apart.astype(upper.dtype),
    }


@functools.cache
def _distances(problem: EditProblem) -> np.ndarray:
    """Return the distances of all pairs, by the oracle."""
    kernel = get_backend("numpy").graph.edit_search
    return to_the_end(kernel, (problem, beginning(problem), ALL)).upper
