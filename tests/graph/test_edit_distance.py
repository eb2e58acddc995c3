from itertools import combinations, pairwise, permutations

import networkx as nx
import numpy as np
import pytest

from grapheme import get_backend
from grapheme.backend.parallelism import cores
from grapheme.errors import InvalidInputError
from grapheme.graph import EditCosts, Graph, edit_distance, edit_distances

BACKENDS = [("numpy", 1), ("numba", 1), *([("numba", 2)] if cores() > 1 else [])]


@pytest.fixture(params=BACKENDS, ids=lambda given: f"{given[0]}-{given[1]}")
def backend(request):
    return get_backend(*request.param)


def random_graph(rng, nodes, directed, labels, loops=False):
    """Return a networkx graph with labels 0 to ``labels - 1`` on nodes and edges."""
    graph = nx.DiGraph() if directed else nx.Graph()
    graph.add_nodes_from((i, {"label": int(rng.integers(labels))}) for i in range(nodes))
    for i in range(nodes):
        for j in range(nodes) if directed else range(i + 1):
            if (loops or i != j) and rng.random() < (0.25 if directed else 0.35):
                graph.add_edge(i, j, label=int(rng.integers(labels)))
    return graph


def random_costs(rng, labels, whole):
    def draw(*shape):
        return rng.integers(0, 7, shape) / 2 if whole else rng.random(shape) * 3

    return EditCosts(draw(labels, labels), draw(labels), draw(labels), draw(labels, labels), draw(labels), draw(labels))


def by_networkx(g, h, costs=None):
    if costs is None:
        same = {"node_match": lambda a, b: a == b, "edge_match": lambda a, b: a == b}
        return nx.graph_edit_distance(g, h, **same)
    return nx.graph_edit_distance(
        g, h,
        node_subst_cost=lambda a, b: costs.node_substitution[a["label"]][b["label"]],
        node_del_cost=lambda a: costs.node_deletion[a["label"]],
        node_ins_cost=lambda b: costs.node_insertion[b["label"]],
        edge_subst_cost=lambda a, b: costs.edge_substitution[a["label"]][b["label"]],
        edge_del_cost=lambda a: costs.edge_deletion[a["label"]],
        edge_ins_cost=lambda b: costs.edge_insertion[b["label"]],
    )  # fmt: skip


def by_trying_everything(g, h, costs):
    """Return the least cost over all mappings; networkx would turn loops into other edges, which no mapping does."""
    mappings = set(permutations([*h, *[None] * len(g)], len(g)))
    return min(cost_of(g, h, dict(zip(g, images, strict=True)), costs) for images in mappings)


def cost_of(g, h, mapping, costs):
    total = sum(costs.node_insertion[h.nodes[v]["label"]] for v in h if v not in mapping.values())
    for u, v in mapping.items():
        label = g.nodes[u]["label"]
        total += costs.node_deletion[label] if v is None else costs.node_substitution[label][h.nodes[v]["label"]]
    kept = 0
    for a, b, label in g.edges(data="label"):
        delete = costs.edge_deletion[label]
        if h.has_edge(mapping[a], mapping[b]):
            other = h.edges[mapping[a], mapping[b]]["label"]
            insert = costs.edge_insertion[other]
            kept += insert
            total += min(costs.edge_substitution[label][other], delete + insert)
        else:
            total += delete
    return total + sum(costs.edge_insertion[label] for _, _, label in h.edges(data="label")) - kept


def assert_proved(result, distance):
    assert result.optimal
    assert result.upper == result.lower == pytest.approx(distance, abs=1e-8)
    assert sum(edit.cost for edit in result.path) == pytest.approx(distance, abs=1e-8)


def test_a_sample_of_the_atlas_has_networkx_distances(backend):
    atlas = nx.graph_atlas_g()[1:209]
    sample = [atlas[i] for i in np.random.default_rng(4).choice(len(atlas), 9, replace=False)]
    for g, h in combinations(sample, 2):
        result = edit_distance(Graph.from_networkx(g), Graph.from_networkx(h), backend=backend)
        assert_proved(result, by_networkx(g, h))


@pytest.mark.parametrize("directed", [False, True])
@pytest.mark.parametrize("labels", [1, 3])
def test_random_graphs_have_networkx_distances(backend, directed, labels):
    rng = np.random.default_rng(5 + labels)
    for _ in range(5):
        g, h = (random_graph(rng, rng.integers(1, 6), directed, labels) for _ in range(2))
        result = edit_distance(Graph.from_networkx(g), Graph.from_networkx(h), backend=backend)
        assert_proved(result, by_networkx(g, h))


@pytest.mark.parametrize("directed", [False, True])
@pytest.mark.parametrize("whole", [False, True])
def test_random_costs_give_networkx_distances(backend, directed, whole):
    rng = np.random.default_rng(6)
    for _ in range(5):
        g, h = (random_graph(rng, rng.integers(1, 6), directed, 3) for _ in range(2))
        costs = random_costs(rng, 3, whole)
        result = edit_distance(Graph.from_networkx(g), Graph.from_networkx(h), costs, backend=backend)
        assert_proved(result, by_networkx(g, h, costs))


@pytest.mark.parametrize("directed", [False, True])
def test_loops_belong_to_their_nodes(backend, directed):
    rng = np.random.default_rng(9)
    for _ in range(5):
        g, h = (random_graph(rng, rng.integers(1, 5), directed, 2, loops=True) for _ in range(2))
        costs = random_costs(rng, 2, True)
        result = edit_distance(Graph.from_networkx(g), Graph.from_networkx(h), costs, backend=backend)
        assert_proved(result, by_trying_everything(g, h, costs))


def test_paths_and_cycles_by_hand(backend):
    def path(n):
        return Graph.from_edges(list(pairwise(range(n))), n=n)

    cycle = Graph.from_edges([(0, 1), (1, 2), (2, 3), (3, 4), (4, 0)])
    empty = Graph.from_edges([], n=0)
    assert edit_distance(path(5), cycle, backend=backend).upper == 1
    assert edit_distance(path(3), path(5), backend=backend).upper == 4
    assert edit_distance(empty, path(4), backend=backend).upper == 7
    assert edit_distance(path(4), empty, backend=backend).upper == 7
    assert edit_distance(empty, empty, backend=backend).upper == 0


def test_the_path_names_each_edit(backend):
    g = Graph.from_edges([(0, 1)], labels=["a", "b"])
    h = Graph.from_edges([(0, 1), (1, 2)], labels=["a", "c", "a"])
    result = edit_distance(g, h, backend=backend)
    assert result.upper == 3
    assert result.mapping.tolist() in ([0, 1], [2, 1])
    free = 2 - int(result.mapping[0])
    edits = {(edit.kind, edit.source, edit.target): edit.cost for edit in result.path}
    assert edits == {("node", 1, 1): 1, ("node", None, free): 1, ("edge", None, tuple(sorted((1, free)))): 1}


def test_an_edge_is_replaced_where_that_is_cheaper_than_a_change(backend):
    g, h = (Graph.from_edges([(0, 1)], edge_labels=[label]) for label in "xy")
    result = edit_distance(g, h, EditCosts(edge_substitution=5, edge_insertion=1, edge_deletion=2), backend=backend)
    assert result.upper == 3
    assert [(edit.source, edit.target) for edit in result.path] == [((0, 1), None), (None, (0, 1))]


def test_a_dear_substitution_deletes_and_inserts_nodes(backend):
    g, h = (Graph.from_edges([], labels=[label]) for label in "xy")
    result = edit_distance(g, h, EditCosts(node_substitution=5), backend=backend)
    assert (result.upper, result.mapping.tolist()) == (2, [-1])


def test_insertion_and_deletion_are_told_apart(backend):
    small, large = Graph.from_edges([], n=1), Graph.from_edges([], n=3)
    costs = EditCosts(node_insertion=2, node_deletion=lambda label: 5)
    assert edit_distance(small, large, costs, backend=backend).upper == 4
    assert edit_distance(large, small, costs, backend=backend).upper == 10


def test_without_time_there_is_still_an_interval_that_holds_the_distance(backend):
    rng = np.random.default_rng(7)
    for _ in range(10):
        g, h = (nx.gnp_random_graph(6, 0.4, seed=int(rng.integers(1000))) for _ in range(2))
        result = edit_distance(Graph.from_networkx(g), Graph.from_networkx(h), timeout=0, backend=backend)
        assert result.lower <= by_networkx(g, h) <= result.upper == sum(edit.cost for edit in result.path)


def test_a_timeout_stops_a_search_that_would_not_end():
    g, h = (Graph.from_networkx(nx.gnp_random_graph(40, 0.3, seed=seed)) for seed in (1, 2))
    result = edit_distance(g, h, timeout=0.05, backend="numba")
    assert 0 < result.lower < result.upper == sum(edit.cost for edit in result.path)
    assert not result.optimal


@pytest.mark.parametrize("directed", [False, True])
def test_numba_equals_the_oracle_on_all_pairs(directed):
    rng = np.random.default_rng(8)
    graphs = [Graph.from_networkx(random_graph(rng, rng.integers(0, 6), directed, 2, True)) for _ in range(9)]
    costs = EditCosts(node_substitution=0.75, node_insertion=1.5, edge_deletion=0.5)
    wanted = edit_distances(graphs, costs=costs, backend="numpy")
    assert wanted.optimal.all()
    for name, threads in BACKENDS[1:]:
        found = edit_distances(graphs, costs=costs, backend=get_backend(name, threads))
        np.testing.assert_array_equal(found.lower, wanted.lower)
        np.testing.assert_array_equal(found.upper, wanted.upper)


@pytest.mark.skipif(cores() < 2, reason="needs two cores")
def test_one_thread_and_two_find_the_same_mapping():
    for seed in range(6):
        g, h = (Graph.from_networkx(nx.gnp_random_graph(13, 0.25, seed=seed + 50 * k)) for k in range(2))
        one, two = (edit_distance(g, h, backend=get_backend("numba", threads)) for threads in (1, 2))
        assert one.optimal
        assert one.upper == two.upper == sum(edit.cost for edit in one.path)
        np.testing.assert_array_equal(one.mapping, two.mapping)


def test_a_matrix_holds_the_distances_of_its_pairs(backend):
    graphs = [Graph.from_networkx(nx.gnp_random_graph(n, 0.5, seed=n)) for n in (2, 3, 4, 5)]
    calls = []
    square = edit_distances(graphs, backend=backend, progress=lambda done, total: calls.append((done, total)))
    wide = edit_distances(graphs[:2], graphs, backend=backend)
    wanted = [[edit_distance(g, h, backend=backend).upper for h in graphs] for g in graphs]
    np.testing.assert_array_equal(square.upper, wanted)
    np.testing.assert_array_equal(square.lower, wanted)
    np.testing.assert_array_equal(wide.upper, wanted[:2])
    assert calls[-1] == (6, 6)


def test_a_matrix_of_uneven_costs_differs_from_its_transpose(backend):
    graphs = [Graph.from_edges([], n=n) for n in (1, 3)]
    found = edit_distances(graphs, costs=EditCosts(node_deletion=3), backend=backend)
    np.testing.assert_array_equal(found.upper, [[0, 2], [6, 0]])


def test_no_graphs_have_no_distances(backend):
    assert edit_distances([], backend=backend).upper.shape == (0, 0)


@pytest.mark.parametrize("cost", [float("nan"), -1, float("inf"), "dear"])
def test_a_cost_that_is_none_is_refused(cost):
    with pytest.raises(InvalidInputError, match="node_insertion"):
        EditCosts(node_insertion=cost)
    with pytest.raises(InvalidInputError, match="edge_substitution"):
        edit_distance(
            *(Graph.from_edges([(0, 1)], edge_labels=[label]) for label in "xy"),
            EditCosts(edge_substitution=lambda a, b: cost),
        )


def test_bad_questions_are_refused():
    g, h = Graph.from_edges([(0, 1)]), Graph.from_edges([(0, 1)], directed=True)
    with pytest.raises(InvalidInputError, match="directed"):
        edit_distance(g, h)
    with pytest.raises(InvalidInputError, match="timeout"):
        edit_distance(g, g, timeout=float("nan"))
    with pytest.raises(InvalidInputError, match="from_networkx"):
        edit_distance(g, nx.path_graph(2))
    with pytest.raises(InvalidInputError, match="square"):
        EditCosts(node_substitution=[[0, 1]])
    with pytest.raises(InvalidInputError, match="labels 0 to 1"):
        edit_distance(g, g, EditCosts(node_substitution=np.eye(2)))
