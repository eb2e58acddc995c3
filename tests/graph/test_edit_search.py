"""The kernels themselves: slices of any size prove the same, and at every moment the interval holds the distance."""

import networkx as nx
import numpy as np
import pytest

from grapheme import get_backend
from grapheme.graph import EditCosts, Graph
from grapheme.graph.edit_codes import encode
from grapheme.graph.edit_costs import whole_numbers
from grapheme.kernels.edits import DELETED, OPEN, EditSearch

BACKENDS = ["numpy", "numba"]


def problem_of(g, h, costs=None):
    coded = encode([Graph.from_networkx(g), Graph.from_networkx(h)], costs or EditCosts())
    return coded.choose(np.array([[0, 1]], np.int32))


def begin(backend, problem):
    lower, upper, mapping = backend.graph.edit_bounds(problem)
    nodes = np.count_nonzero(problem.nodes[problem.pairs[0, 0]])
    subtree = np.where(np.arange(mapping.shape[1]) < nodes, OPEN, DELETED).astype(np.int32)
    return EditSearch(upper, mapping, np.zeros(1, np.int32), subtree[None], lower)


@pytest.mark.parametrize("name", BACKENDS)
@pytest.mark.parametrize("budget", [1, 7, 10_000])
def test_slices_of_any_size_prove_the_same_distance(name, budget):
    backend = get_backend(name, 1)
    for seed in range(4):
        g, h = nx.gnp_random_graph(4, 0.5, seed=seed), nx.gnp_random_graph(5, 0.5, seed=seed + 50)
        distance = nx.graph_edit_distance(g, h)
        problem = problem_of(g, h)
        search = begin(backend, problem)
        while len(search.owner):
            assert search.bound.min() <= distance <= search.upper[0]
            search = backend.graph.edit_search(problem, search, budget)
        assert search.upper[0] == distance


def test_branch_bounds_of_numba_are_those_of_the_oracle():
    rng = np.random.default_rng(1)
    for _ in range(20):
        graphs = []
        for n in (int(rng.integers(1, 6)), 6):
            g = nx.gnp_random_graph(n, 0.5, seed=int(rng.integers(1000)))
            nx.set_node_attributes(g, {v: int(rng.integers(3)) for v in g}, "label")
            nx.set_edge_attributes(g, {e: int(rng.integers(3)) for e in g.edges}, "label")
            graphs.append(g)
        draws = [rng.integers(0, 5, shape).tolist() for shape in ((3, 3), 3, 3, (3, 3), 3, 3)]
        problem = problem_of(*graphs, EditCosts(*draws))
        lower = [get_backend(name, 1).graph.edit_bounds(problem)[0] for name in BACKENDS]
        np.testing.assert_array_equal(*lower)


def test_kernels_leave_their_arguments_alone():
    problem = problem_of(nx.path_graph(5), nx.gnp_random_graph(6, 0.5, seed=3))
    for name in BACKENDS:
        search = begin(get_backend(name, 1), problem)
        before = [array.copy() for record in (problem, search) for array in vars(record).values()]
        get_backend(name, 1).graph.edit_search(problem, search, 5)
        after = [array for record in (problem, search) for array in vars(record).values()]
        for was, now in zip(before, after, strict=True):
            np.testing.assert_array_equal(was, now)


def test_costs_become_the_fewest_whole_units():
    (table,), unit = whole_numbers([np.array([0, 0.5, 1.5])], 10)
    assert (table.tolist(), unit) == ([0, 1, 3], 0.5)
    (table,), unit = whole_numbers([np.array([0, 0.1, 0.3])], 10)
    assert (table.tolist(), float(unit)) == ([0, 1, 3], 0.1)
    (table,), unit = whole_numbers([np.array([0, 4.0, 6.0])], 10)
    assert (table.tolist(), unit) == ([0, 2, 3], 2)
    (table,), unit = whole_numbers([np.array([0, np.pi, 1e-3])], 10)
    np.testing.assert_allclose(table * float(unit), [0, np.pi, 1e-3], rtol=1e-7)
    (table,), unit = whole_numbers([np.array([0, 1e300])], 10**6)
    assert float(table[1] * unit) == pytest.approx(1e300)
