"""Plausible mistakes in the kernels of the group ``graph``, each of which the conformance suite must notice."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from grapheme_numpy import graph as oracle

from grapheme.backend import Backend
from grapheme.kernels.edits import DELETED, OPEN
from grapheme.testing import all_cases, conform

MANY = 2**62


def problems_of(name, kernel):
    """What the suite says of a backend with that one kernel, by case."""
    outcomes = conform(Backend("wrong", graph=SimpleNamespace(**{name: kernel})), only=f"graph.{name}")
    assert {outcome.kernel for outcome in outcomes} == {f"graph.{name}"}
    return {outcome.case: outcome.problem for outcome in outcomes if outcome.problem}


def degrees_for_cores(indptr, indices):
    return np.diff(indptr).astype(np.int32)


def orient_unsorted(indptr, indices, order):
    starts, targets = oracle.orient(indptr, indices, order)
    return starts, np.concatenate([targets[:0], *(row[::-1] for row in np.split(targets, starts[1:-1]))])


def orient_to_earlier(indptr, indices, order):
    return oracle.orient(indptr, indices, np.ascontiguousarray(order[::-1]))


def count_without_cap(indptr, indices, k, first, last, cap):
    return oracle.count_cliques(indptr, indices, k, first, last, MANY)


def count_from_0(indptr, indices, k, first, last, cap):
    return oracle.count_cliques(indptr, indices, k, 0, last - first, cap)


def list_without_skip(indptr, indices, names, k, first, skip, wanted):
    return oracle.list_cliques(indptr, indices, names, k, first, 0, wanted)


def list_without_names(indptr, indices, names, k, first, skip, wanted):
    return oracle.list_cliques(indptr, indices, np.arange(len(names), dtype=np.int32), k, first, skip, wanted)


def list_backwards(indptr, indices, names, k, first, skip, wanted):
    return np.ascontiguousarray(oracle.list_cliques(indptr, indices, names, k, first, skip, wanted)[::-1])


def edges_for_maximal(indptr, indices, order, cap):
    """Edges and lonely nodes; a triangle is missed."""
    sources = np.repeat(np.arange(len(indptr) - 1), np.diff(indptr))
    lonely = np.flatnonzero(np.diff(indptr) == 0)
    edges = np.stack([sources, indices], axis=1)[sources < indices]
    offsets = np.cumsum([0, *[2] * len(edges), *[1] * len(lonely)])
    return offsets, np.concatenate([edges.reshape(-1), lonely]).astype(np.int32)


def maximal_without_cap(indptr, indices, order, cap):
    return oracle.maximal_cliques(indptr, indices, order, MANY)


def levels_by_shortest_path(indptr, indices):
    levels = np.where(np.bincount(indices, minlength=len(indptr) - 1) == 0, 0, -1).astype(np.int32)
    for _ in levels:
        for v in np.flatnonzero(levels >= 0):
            row = indices[indptr[v] : indptr[v + 1]]
            levels[row] = np.where(levels[row] < 0, levels[v] + 1, levels[row])
    return levels


def levels_without_cycles(indptr, indices):
    return np.maximum(oracle.topological_levels(indptr, indices), 0)


def forward_without_slope(levels, incoming, weights, inputs, slope):
    return oracle.dag_forward(levels, incoming, weights, inputs, 0.01)


def forward_of_one_arc(levels, incoming, weights, inputs, slope):
    """The weights in the order of the arcs into each node, not by their rows."""
    return oracle.dag_forward(levels, (*incoming[:2], np.arange(len(incoming[2]))), weights, inputs, slope)


def grad_without_slope(levels, outgoing, weights, values, grad, inner, slope):
    return oracle.dag_grad(levels, outgoing, weights, values, grad, inner, 1.0)


def grad_kept_at_inner_nodes(levels, outgoing, weights, values, grad, inner, slope):
    below, slopes = oracle.dag_grad(levels, outgoing, weights, values, grad, inner, slope)
    return np.where(inner[:, None], grad, below), slopes


def bound_of_nothing(problem):
    lower, upper, mapping = oracle.edit_bounds(problem)
    return np.zeros_like(lower), upper, mapping


def bound_not_rounded_up(problem):
    lower, upper, mapping = oracle.edit_bounds(problem)
    return lower - (lower > 0), upper, mapping


def mapping_to_one_node(problem):
    lower, upper, _ = oracle.edit_bounds(problem)
    return lower, upper, np.where(problem.nodes[problem.pairs[:, 0]] != 0, 0, DELETED).astype(np.int32)


def cost_that_is_hoped_for(problem):
    lower, _, mapping = oracle.edit_bounds(problem)
    return lower, lower, mapping


def search_that_gives_up(problem, search, budget):
    ended = oracle.edit_search(problem, search, budget)
    return replace(ended, owner=ended.owner[:0], subtrees=ended.subtrees[:0], bound=ended.bound[:0])


def search_that_never_ends(problem, search, budget):
    return search


def search_with_eager_bounds(problem, search, budget):
    """Claims of every subtree that it costs as much as the best mapping known."""
    ended = oracle.edit_search(problem, search, budget)
    return replace(ended, bound=ended.upper[ended.owner])


def search_that_never_deletes(problem, search, budget):
    ended = oracle.edit_search(problem, search, budget)
    deciding = (ended.subtrees == DELETED) & (problem.nodes[problem.pairs[ended.owner, 0]] != 0)
    kept = ~deciding.any(axis=1)
    return replace(ended, owner=ended.owner[kept], subtrees=ended.subtrees[kept], bound=ended.bound[kept])


WRONG = {
    "core_numbers": [degrees_for_cores],
    "orient": [orient_unsorted, orient_to_earlier],
    "count_cliques": [count_without_cap, count_from_0],
    "list_cliques": [list_without_skip, list_without_names, list_backwards],
    "maximal_cliques": [edges_for_maximal, maximal_without_cap],
    "topological_levels": [levels_by_shortest_path, levels_without_cycles],
    "dag_forward": [forward_without_slope, forward_of_one_arc],
    "dag_grad": [grad_without_slope, grad_kept_at_inner_nodes],
    "edit_bounds": [bound_of_nothing, bound_not_rounded_up, mapping_to_one_node, cost_that_is_hoped_for],
    "edit_search": [search_that_gives_up, search_that_never_ends, search_with_eager_bounds, search_that_never_deletes],
}


@pytest.mark.parametrize(("name", "kernel"), [(name, kernel) for name, wrong in WRONG.items() for kernel in wrong])
def test_a_wrong_kernel_is_caught(name, kernel):
    assert problems_of(name, kernel)


def test_every_kernel_has_its_mistakes():
    assert {f"graph.{name}" for name in WRONG} == {c.kernel for c in all_cases() if c.kernel.startswith("graph.")}


def test_the_oracle_is_right_where_its_word_is_not_needed():
    """Mappings are what they may be and cost what is said, by a sum that is not the oracle's."""
    zeros = [
        values
        for case in all_cases()
        if case.kernel.startswith("graph.edit_")
        for name, values in case.expected.items()
        if name.startswith(("entries", "costs"))
    ]
    assert len(zeros) > 20
    assert not any(values.any() for values in zeros)


def test_a_search_may_begin_with_nothing_left_to_decide():
    """A pair without nodes to map has one mapping, whose cost the bound need not know."""
    case = next(c for c in all_cases() if c.kernel == "graph.edit_search" and "directed" in c.name)
    _, search, _ = case.arguments
    decided = ~(search.subtrees == OPEN).any(axis=1)
    assert decided.any()
    assert not search.bound.any()
    np.testing.assert_array_equal(case.expected["distances"][decided], search.upper[decided])
