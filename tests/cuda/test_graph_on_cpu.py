"""Graphs through the unmodified CUDA sources: what the small cases of the conformance suite do not reach."""

from __future__ import annotations

import itertools
import math

import networkx as nx
import numpy as np
import pytest

import grapheme
from grapheme.graph import (
    Graph,
    count_k_cliques,
    dag_forward,
    edit_distances,
    iter_k_cliques,
    k_cliques,
    maximal_cliques,
    topological_levels,
)
from grapheme.graph.edit_codes import encode
from grapheme.graph.edit_costs import EditCosts
from grapheme.testing import all_cases, assert_close, assert_same_bits
from grapheme.testing.doors import through
from grapheme.testing.edits import beginning, faults, mapping_costs, to_the_end
from grapheme.testing.graph_pairs import random_graph

pytestmark = pytest.mark.usefixtures("stand_in")


def complete(nodes):
    return Graph.from_edges(list(itertools.combinations(range(nodes), 2)), nodes)


def test_complete_graphs_have_binomially_many():
    """Of 40 nodes, an arc has up to 38 members: two words of bits."""
    assert [count_k_cliques(complete(40), k, "cupy") for k in (3, 4)] == [math.comb(40, 3), math.comb(40, 4)]
    assert count_k_cliques(complete(12), 9, "cupy") == math.comb(12, 9)
    rows = k_cliques(complete(36), 3, backend="cupy")
    assert rows.tolist() == [list(nodes) for nodes in itertools.combinations(range(36), 3)]


@pytest.mark.parametrize("k", [3, 4, 6])
def test_listings_are_those_of_networkx(k, settings):
    theirs = nx.gnp_random_graph(48, 0.45, seed=1)
    wanted = sorted(sorted(clique) for clique in nx.enumerate_all_cliques(theirs) if len(clique) == k)
    assert len(wanted) > 50
    ours = Graph.from_networkx(theirs)
    settings(order="shuffled")
    assert k_cliques(ours, k, backend="cupy").tolist() == wanted
    assert count_k_cliques(ours, k, "cupy") == len(wanted)
    chunks = list(iter_k_cliques(ours, k, chunk=97, backend="cupy"))
    assert np.concatenate(chunks).tolist() == wanted


@pytest.mark.parametrize(
    "theirs", [nx.gnp_random_graph(60, 0.4, seed=3), nx.turan_graph(12, 4)], ids=["random", "Turan"]
)
def test_maximal_cliques_are_those_of_networkx(theirs, settings):
    """Of the random graph's nodes, some have more than 32 neighbours after them, and some before."""
    settings(order="shuffled")
    found = maximal_cliques(Graph.from_networkx(theirs), "cupy")
    assert [clique.tolist() for clique in found] == sorted(map(sorted, nx.find_cliques(theirs)))


def test_arcs_that_do_not_fit_at_once_are_taken_in_turns(monkeypatch):
    from grapheme_cupy import cliques

    ours = Graph.from_networkx(nx.gnp_random_graph(30, 0.5, seed=2))
    whole = k_cliques(ours, 4, backend="cupy")
    monkeypatch.setattr(cliques, "ARCS", 7)
    assert_same_bits(k_cliques(ours, 4, backend="cupy"), whole, "rows")
    assert count_k_cliques(ours, 4, "cupy") == len(whole) > 0


@pytest.fixture
def one_warp(monkeypatch):
    """One block of one warp has to do all the work, in the same place again and again."""
    from grapheme_cupy import cliques, degeneracy, device, edits, launch, maximal

    monkeypatch.setattr(device, "RESIDENT_THREADS", 1)
    monkeypatch.setattr(launch, "WARPS", 1)
    for module in (cliques, edits, maximal):
        monkeypatch.setattr(module, "WARPS", 1)
    for module in (cliques, degeneracy, edits, maximal):
        monkeypatch.setattr(module, "BLOCK_OF_WARPS", (32, 1))


@pytest.mark.parametrize(
    "kernel",
    ["core_numbers", "orient", "count_cliques", "list_cliques", "maximal_cliques", "edit_bounds", "edit_search"],
)
def test_a_workspace_is_used_again_without_a_race(kernel, one_warp, settings):
    backend = grapheme.get_backend("cupy")
    settings(mode="races")
    for case in all_cases():
        if case.kernel == f"graph.{kernel}":
            actual = case.run(backend)
            for name, expected in case.expected.items():
                assert_close(actual[name], expected, name)


@pytest.mark.parametrize("kernel", ["graph.topological_levels", "graph.dag_forward", "graph.dag_grad"])
@pytest.mark.parametrize("mode", ["plain", "races"])
def test_wide_levels_are_launches_of_many_blocks(kernel, mode, settings, monkeypatch):
    """Levels that would take thousands of nodes to be wide are wide from three on."""
    from grapheme_cupy import dag, launch, topology

    backend = grapheme.get_backend("cupy")
    cases = [case for case in all_cases() if case.kernel == kernel]
    narrow = [case.run(backend) for case in cases]
    for module in (dag, topology):
        monkeypatch.setattr(module, "NARROW", 2)
        monkeypatch.setattr(module, "BLOCK_OF_THREADS", (32,))
    monkeypatch.setattr(launch, "THREADS", 32)
    settings(mode=mode)
    for case, expected in zip(cases, narrow, strict=True):
        for name, array in case.run(backend).items():
            assert_same_bits(array, expected[name], name)


def test_a_long_chain_is_one_launch_and_its_levels_count_up():
    """A node for each level: without a block that walks on by itself, each would be a launch."""
    chain = Graph.from_edges([(v + 1, v) for v in range(2999)], 3000, directed=True)
    assert topological_levels(chain, "cupy").tolist() == list(range(2999, -1, -1))
    values = dag_forward(chain, np.full(3000, 2.0), np.ones(2999), backend="cupy")
    assert values.tolist() == [2.0] * 3000


def test_cores_that_take_many_rounds():
    """The ends of a path are peeled off one by one, each round a node at either end; a triangle is left over."""
    theirs = nx.path_graph(60)
    theirs.add_edges_from([(59, 60), (60, 61), (59, 61)])
    ours = Graph.from_networkx(theirs)
    backend = grapheme.get_backend("cupy")
    found = backend.graph.core_numbers(backend.asarray(ours.indptr), backend.asarray(ours.indices))
    assert backend.to_numpy(found).tolist() == [nx.core_number(theirs)[v] for v in range(62)]


def test_bounds_hold_the_distances_that_a_search_proves():
    graphs = [random_graph(seed, nodes, 0.4, "abc", "xy") for seed, nodes in enumerate((2, 3, 4, 4, 5))]
    bounds = edit_distances(graphs, timeout=0, backend="cupy")
    exact = edit_distances(graphs, backend="numpy")
    assert exact.optimal.all()
    assert (bounds.lower <= exact.upper).all()
    assert (bounds.upper >= exact.upper).all()
    assert (bounds.upper == exact.upper).mean() > 0.7  # the mappings are good ones


@pytest.fixture(scope="module")
def hard_pairs():
    """Graphs whose distances no bound proves, some with nodes that can trade places, and their distances."""
    graphs = [random_graph(seed, 7, 0.5, "ab", "xy", directed=seed % 2 == 0) for seed in (2, 4, 6)]
    graphs.append(Graph.from_edges([(0, leaf) for leaf in range(1, 8)], 8, ["a"] * 8, True, ["x"] * 7))
    bounds, exact = (edit_distances(graphs, timeout=timeout, backend="numba") for timeout in (0, None))
    assert (bounds.lower < exact.upper).any()
    return graphs, exact


def test_a_search_proves_the_distances_that_another_backend_finds(hard_pairs):
    graphs, exact = hard_pairs
    found = edit_distances(graphs, backend="cupy")
    assert found.optimal.all()
    assert (found.upper == exact.upper).all()


def test_subtrees_that_do_not_fit_at_once_are_searched_in_turns(hard_pairs, monkeypatch):
    from grapheme_cupy import edits

    graphs, exact = hard_pairs
    launches = []
    kernel = edits.kernel
    monkeypatch.setattr(edits, "kernel", lambda source, name: launches.append(name) or kernel(source, name))
    edit_distances(graphs, backend="cupy")
    together = launches.count("subtree_explore")
    monkeypatch.setattr(edits, "WORKSPACE", 1)
    found = edit_distances(graphs, backend="cupy")
    assert (found.upper == exact.upper).all()
    assert launches.count("subtree_explore") > 3 * together > 0


def test_a_search_finds_what_was_changed_in_a_graph_of_more_nodes_than_lanes(settings):
    """The second graph is the first, renumbered, with two other labels and an edge less; nothing is known at first."""
    first = random_graph(3, 40, 0.1, "abcdef", "xy")
    number = np.random.default_rng(4).permutation(40)
    labels = np.array(first.node_labels)[np.argsort(number)]
    labels[[5, 30]] = ["x", "y"]
    second = Graph.from_edges(number[first.edge_list[1:]], 40, labels.tolist(), False, first.edge_labels[1:])
    problem = encode([first, second], EditCosts()).choose(np.array([[0, 1]], np.int32))
    backend = grapheme.get_backend("cupy")
    settings(mode="races")
    arguments = through(backend.asarray, (problem, beginning(problem), 30))
    found = through(backend.to_numpy, to_the_end(backend.graph.edit_search, arguments))
    assert len(found.owner) == 0
    assert found.upper.tolist() == mapping_costs(problem, found.mapping).tolist()
    assert not faults(problem, found.mapping).any()
    assert found.upper.tolist() == mapping_costs(problem, number[None].astype(np.int32)).tolist()
    assert found.upper < beginning(problem).upper
