import itertools
import math

import networkx as nx
import numpy as np
import pytest
from networkx.algorithms.community import k_clique_communities as networkx_communities

import grapheme
from grapheme.backend.parallelism import cores
from grapheme.errors import InvalidInputError
from grapheme.graph import (
    CodeGraph,
    Graph,
    GraphemeGraph,
    MathGraph,
    count_k_cliques,
    iter_k_cliques,
    k_clique_communities,
    k_cliques,
    maximal_cliques,
)
from grapheme.graph.probes import estimate

ATLAS = nx.graph_atlas_g()
BACKENDS = [("numpy", 1), ("numba", 1), ("numba", 2)]
RANDOM = [
    nx.gnp_random_graph(40, 0.5, seed=1),
    nx.gnp_random_graph(90, 0.3, seed=2),
    nx.barabasi_albert_graph(150, 8, seed=3),
    nx.complete_multipartite_graph(5, 6, 7, 8),
    nx.disjoint_union(nx.complete_graph(9), nx.star_graph(70)),
]


@pytest.fixture(scope="module", params=BACKENDS, ids=lambda chosen: f"{chosen[0]}-{chosen[1]}")
def backend(request):
    name, threads = request.param
    if threads > cores():
        pytest.skip(f"needs {threads} cores")
    return grapheme.get_backend(name, threads=threads)


def networkx_cliques(graph):
    by_size = {}
    for clique in nx.enumerate_all_cliques(graph):
        by_size.setdefault(len(clique), []).append(sorted(clique))
    return {size: sorted(cliques) for size, cliques in by_size.items()}


def test_every_graph_of_the_atlas(backend):
    assert len(ATLAS) == 1253
    for theirs in ATLAS:
        ours, wanted = Graph.from_networkx(theirs), networkx_cliques(theirs)
        for k in range(1, 8):
            rows = k_cliques(ours, k, backend=backend)
            assert rows.shape == (len(wanted.get(k, [])), k)
            assert rows.tolist() == wanted.get(k, [])
            assert count_k_cliques(ours, k, backend=backend) == len(wanted.get(k, []))


def test_maximal_cliques_of_the_atlas(backend):
    for theirs in ATLAS[1:]:
        found = maximal_cliques(Graph.from_networkx(theirs), backend)
        assert [clique.tolist() for clique in found] == sorted(map(sorted, nx.find_cliques(theirs)))


@pytest.mark.parametrize("theirs", RANDOM, ids=str)
def test_larger_graphs(backend, theirs):
    ours, wanted = Graph.from_networkx(theirs), networkx_cliques(theirs)
    for k in (3, 4, 5, 8):
        rows = k_cliques(ours, k, backend=backend)
        assert rows.dtype == np.int32
        assert rows.tolist() == wanted.get(k, [])
        assert count_k_cliques(ours, k, backend=backend) == len(rows)
    assert [c.tolist() for c in maximal_cliques(ours, backend)] == sorted(map(sorted, nx.find_cliques(theirs)))


def test_start_nodes_with_very_many_neighbours(backend):
    cliques = pytest.importorskip("grapheme_numba.cliques")
    theirs = nx.gnp_random_graph(60, 0.4, seed=4)
    hub = nx.compose(theirs, nx.star_graph(range(5000)))
    assert max(dict(hub.degree()).values()) > cliques.WIDE
    ours, wanted = Graph.from_networkx(hub), networkx_cliques(nx.Graph(hub.subgraph(range(60))))
    for k in (3, 4, 5):
        assert k_cliques(ours, k, backend=backend).tolist() == wanted[k]


def test_neighbours_in_very_many_triangles():
    """A wheel's hub has more neighbours than rows of bits take, all of them in triangles: 5000, no larger clique."""
    ours = Graph.from_networkx(nx.wheel_graph(5001))
    rows = k_cliques(ours, 3, backend="numba")
    assert len(rows) == count_k_cliques(ours, 3, backend="numba") == 5000
    assert rows[:3].tolist() == [[0, 1, 2], [0, 1, 5000], [0, 2, 3]]
    assert k_cliques(ours, 3, limit=4990, backend="numba").tolist() == rows[:4990].tolist()
    assert len(k_cliques(ours, 4, backend="numba")) == 0


def test_complete_graphs_have_binomially_many(backend):
    ours = Graph.from_networkx(nx.complete_graph(14))
    for k in (3, 7, 12):
        assert count_k_cliques(ours, k, backend=backend) == math.comb(14, k)
        assert k_cliques(ours, k, backend=backend).tolist() == [list(c) for c in itertools.combinations(range(14), k)]


@pytest.mark.parametrize("k", [1, 2, 3, 5])
@pytest.mark.parametrize("chunk", [1, 7, 64, 10**6])
def test_chunks_are_the_listing_cut(k, chunk):
    ours = Graph.from_networkx(RANDOM[0])
    whole = k_cliques(ours, k, backend="numba")
    parts = list(iter_k_cliques(ours, k, chunk, backend="numba"))
    assert np.array_equal(np.concatenate(parts), whole)
    assert all(len(part) == chunk for part in parts[:-1])


@pytest.mark.parametrize("limit", [0, 1, 10, 333, 10**6])
def test_a_limit_gives_the_first(backend, limit):
    ours = Graph.from_networkx(RANDOM[0])
    for k in (1, 2, 3, 4):
        assert np.array_equal(
            k_cliques(ours, k, limit=limit, backend=backend), k_cliques(ours, k, backend=backend)[:limit]
        )
        assert k_cliques(ours, k, limit=limit, backend=backend).shape[1] == k


def test_a_limit_makes_the_hopeless_easy():
    ours = Graph.from_networkx(nx.complete_graph(300))
    assert k_cliques(ours, 12, limit=2).tolist() == [list(range(12)), [*range(11), 12]]


def test_direction_and_loops_do_not_count():
    ours = Graph.from_edges([(0, 1), (2, 1), (2, 0), (1, 1), (1, 0)], directed=True)
    assert k_cliques(ours, 3).tolist() == [[0, 1, 2]]
    assert k_cliques(ours, 2).tolist() == [[0, 1], [0, 2], [1, 2]]


def test_every_kind_of_graph_is_taken():
    for g in (
        GraphemeGraph.from_text("abcd", window=2),
        MathGraph.from_expression("x+1"),
        CodeGraph.from_source("x = 1"),
    ):
        assert len(k_cliques(g, 2)) == g.edges
    assert k_cliques(GraphemeGraph.from_text("abcd", window=2), 3).tolist() == [[0, 1, 2], [1, 2, 3]]


def test_the_empty_graph(backend):
    nothing = Graph.from_edges([])
    for k in (1, 2, 3):
        assert k_cliques(nothing, k, backend=backend).shape == (0, k)
        assert count_k_cliques(nothing, k, backend=backend) == 0
    assert maximal_cliques(nothing, backend) == []
    assert k_clique_communities(nothing, 3, backend) == []


@pytest.mark.parametrize("k", [2, 3, 4])
def test_communities_are_those_of_networkx(k):
    for theirs in [*ATLAS[1::20], *RANDOM]:
        wanted = sorted(sorted(group) for group in networkx_communities(theirs, k))
        assert [group.tolist() for group in k_clique_communities(Graph.from_networkx(theirs), k)] == wanted


@pytest.mark.parametrize(
    ("k", "message"), [(0, "1 or more"), (-3, "1 or more"), (13, "set max_k=13"), (2.5, "1 or more")]
)
def test_a_bad_k_is_refused_with_the_reason(k, message):
    triangle = Graph.from_edges([(0, 1), (1, 2), (0, 2)])
    for function in (k_cliques, count_k_cliques, iter_k_cliques):
        with pytest.raises(InvalidInputError, match=message):
            function(triangle, k)


def test_a_larger_k_can_be_asked_for():
    assert count_k_cliques(Graph.from_networkx(nx.complete_graph(14)), 13, max_k=13) == 14


def test_what_does_not_fit_is_refused_before_it_begins():
    ours = Graph.from_networkx(nx.complete_graph(40))
    with pytest.raises(InvalidInputError, match="at least 9,880 cliques of 3 nodes, and 9,000 fit"):
        k_cliques(ours, 3, memory=9_000 * 12)
    with pytest.raises(InvalidInputError, match="more than"):
        maximal_cliques(Graph.from_networkx(nx.complete_multipartite_graph(*[3] * 12)), memory=2**16)


def test_what_would_never_end_is_refused_by_an_estimate():
    ours = Graph.from_networkx(nx.complete_graph(1000))
    with pytest.raises(InvalidInputError) as error:
        k_cliques(ours, 12)
    assert f"about {math.comb(1000, 12):.1e} cliques of 12 nodes" in str(error.value)


def test_estimates_are_close():
    theirs = nx.gnp_random_graph(100, 0.6, seed=5)
    ours = Graph.from_networkx(theirs)
    indptr, indices = grapheme.get_backend("numpy").graph.orient(ours.indptr, ours.indices, np.arange(100))
    for k in (3, 5):
        assert 0.5 < estimate(indptr, indices, k) / count_k_cliques(ours, k) < 2


def test_core_numbers_are_those_of_networkx(backend):
    for theirs in [*ATLAS[1::10], *RANDOM]:
        theirs = nx.convert_node_labels_to_integers(theirs)
        ours = Graph.from_networkx(theirs)
        cores_found = backend.graph.core_numbers(ours.indptr, ours.indices)
        assert cores_found.tolist() == [nx.core_number(theirs)[v] for v in theirs]
