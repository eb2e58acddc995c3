"""networkx's own functions and its own tests, run on our kernels."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from importlib.metadata import entry_points
from pathlib import Path

import networkx as nx
import pytest

from grapheme.errors import InvalidInputError
from grapheme.networkx_backend.info import FUNCTIONS
from grapheme.networkx_backend.interface import can_run, convert_from_nx, convert_to_nx, should_run

pytestmark = pytest.mark.filterwarnings("ignore:Note. conversions to backend graphs are saved to cache")

TESTS = "networkx.algorithms.tests"
PRICES = {
    "none": {},
    "node match": {"node_match": lambda a, b: a["colour"] == b["colour"]},
    "edge match": {"edge_match": lambda a, b: a["weight"] == b["weight"]},
    "costs": {
        "node_subst_cost": lambda a, b: 0.7 * abs(a["colour"] - b["colour"]),
        "node_del_cost": lambda a: a["colour"] + 0.25,
        "edge_subst_cost": lambda a, b: abs(a["weight"] - b["weight"]) / 3,
        "edge_ins_cost": lambda a: a["weight"] + 0.1,
    },
}


def run_networkx_tests(folder, *selection, **environment):
    """Run tests that networkx ships through our backend; return the plugin's report and what pytest printed."""
    report = folder / "report.json"
    settings = {
        "NETWORKX_TEST_BACKEND": "grapheme",
        "NETWORKX_FALLBACK_TO_NX": "True",
        "PYTHONPATH": str(Path(__file__).parents[2]),
        "REPORT": str(report),
    }
    options = ["-q", "-p", "no:cacheprovider", "-p", "no:xdist", "-p", "tests.graph.networkx_calls"]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *options, "--pyargs", *selection],
        cwd=folder,
        env={**os.environ, **settings, **environment},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert report.exists(), done.stdout + done.stderr
    return json.loads(report.read_text()), done.stdout


def random_graph(rng, directed=False):
    graph = nx.gnp_random_graph(rng.randint(1, 5), 0.5, rng.randrange(10**6), directed)
    graph = nx.relabel_nodes(graph, {node: f"node {9 - node}" for node in graph})
    for node in graph:
        graph.nodes[node]["colour"] = rng.randint(0, 2)
    for edge in graph.edges:
        graph.edges[edge]["weight"] = rng.randint(0, 3)
    return graph


def test_the_tests_of_networkx_pass_and_reach_us(tmp_path):
    modules = [f"{TESTS}.test_clique", f"{TESTS}.test_similarity", f"{TESTS}.test_dag"]
    report, output = run_networkx_tests(tmp_path, *modules, "-k", "not panther and not simrank and not random_paths")
    assert report["failed"] == 0, output
    assert report["run"] >= 110
    # networkx falls back on itself for what we refuse, so tests that pass prove nothing unless calls arrive.
    least = {
        "find_cliques": 40,
        "enumerate_all_cliques": 1,
        "graph_edit_distance": 50,
        "optimize_graph_edit_distance": 1,
        "topological_generations": 50,
    }
    assert set(report["calls"]) == set(least) == set(FUNCTIONS)
    assert {name: min(report["calls"][name], count) for name, count in least.items()} == least
    assert set(report["refused"]) == {"graph_edit_distance"}
    assert report["refused"]["graph_edit_distance"] < report["calls"]["graph_edit_distance"]


def test_the_tests_of_networkx_fail_on_a_wrong_backend(tmp_path):
    report, _ = run_networkx_tests(
        tmp_path, f"{TESTS}.test_similarity", "-k", "TestSimilarity and testGraph", BREAK="graph_edit_distance"
    )
    assert report["failed"] > 0


@pytest.mark.parametrize("seed", range(5))
def test_cliques_are_those_of_networkx(seed):
    graph = nx.relabel_nodes(nx.gnp_random_graph(25, 0.5, seed), {node: f"node {99 - node}" for node in range(25)})
    graph.add_edge("node 99", "node 99")
    ours = list(nx.enumerate_all_cliques(graph, backend="grapheme"))
    assert ours == list(nx.enumerate_all_cliques(graph, backend="networkx"))
    for nodes in (None, ["node 80"], list(next(iter(graph.edges)))):
        theirs = {frozenset(clique) for clique in nx.find_cliques(graph, nodes, backend="networkx")}
        assert {frozenset(clique) for clique in nx.find_cliques(graph, nodes, backend="grapheme")} == theirs


def test_cliques_with_nodes_that_form_none():
    path = nx.path_graph(3)
    for nodes in ([0, 2], [0, 0], [7]):
        with pytest.raises(ValueError, match="do not form a clique"):
            list(nx.find_cliques(path, nodes, backend="grapheme"))
    assert list(nx.find_cliques(path, [0, 1], backend="grapheme")) == [[0, 1]]


def test_the_first_cliques_of_a_graph_with_too_many():
    cliques = nx.enumerate_all_cliques(nx.complete_graph(70), backend="grapheme")
    assert [next(cliques) for _ in range(71)][-1] == [0, 1]


@pytest.mark.parametrize("prices", PRICES)
@pytest.mark.parametrize("directed", [False, True])
def test_distances_are_those_of_networkx(prices, directed):
    rng = random.Random(prices)
    for _ in range(6):
        pair = random_graph(rng, directed), random_graph(rng, directed)
        theirs = nx.graph_edit_distance(*pair, **PRICES[prices], backend="networkx")
        assert nx.graph_edit_distance(*pair, **PRICES[prices], backend="grapheme") == pytest.approx(theirs)
        *_, last = nx.optimize_graph_edit_distance(*pair, **PRICES[prices], backend="grapheme")
        assert last == pytest.approx(theirs)
        below = nx.graph_edit_distance(*pair, **PRICES[prices], upper_bound=theirs - 0.01, backend="grapheme")
        assert below is None
        assert not list(nx.optimize_graph_edit_distance(*pair, **PRICES[prices], upper_bound=-1, backend="grapheme"))


def test_a_timeout_still_gives_an_upper_bound():
    pair = nx.gnp_random_graph(25, 0.4, 1), nx.gnp_random_graph(25, 0.4, 2)
    assert nx.graph_edit_distance(*pair, timeout=0.01, backend="grapheme") <= 50 + pair[0].size() + pair[1].size()
    with pytest.raises(nx.NetworkXError, match="greater than 0"):
        nx.graph_edit_distance(*pair, timeout=0, backend="grapheme")


def test_attributes_that_changed_after_the_conversion_count():
    first, second = nx.path_graph(2), nx.path_graph(2)
    nx.set_node_attributes(first, "a", "name")
    nx.set_node_attributes(second, "a", "name")
    ours = convert_from_nx(first), convert_from_nx(second)
    same = {"node_match": lambda a, b: a["name"] == b["name"]}
    assert nx.graph_edit_distance(*ours, **same) == 0
    first.nodes[0]["name"] = "b"
    assert nx.graph_edit_distance(*ours, **same) == 1


def test_a_cost_that_is_none_is_one_sentence():
    with pytest.raises(InvalidInputError, match="node_deletion must be a finite number"):
        nx.graph_edit_distance(
            nx.path_graph(2), nx.path_graph(3), node_del_cost=lambda _: float("nan"), backend="grapheme"
        )


def test_generations_are_those_of_networkx():
    for graph in (nx.gn_graph(200, seed=1), nx.DiGraph(), nx.MultiDiGraph([(2, 1), (2, 1), (1, 0)])):
        theirs = [set(names) for names in nx.topological_generations(graph, backend="networkx")]
        assert [set(names) for names in nx.topological_generations(graph, backend="grapheme")] == theirs
    with pytest.raises(nx.NetworkXUnfeasible, match="cycle"):
        list(nx.topological_generations(nx.DiGraph([(0, 1), (1, 0)]), backend="grapheme"))
    with pytest.raises(nx.NetworkXError, match="undirected"):
        list(nx.topological_generations(nx.path_graph(2), backend="grapheme"))


@pytest.mark.parametrize(
    ("pair", "options", "reason"),
    [
        ((nx.Graph([(0, 0)]), nx.Graph()), {}, "self-loop"),
        ((nx.Graph(), nx.DiGraph([(1, 1)]).to_undirected()), {}, "self-loop"),
        ((nx.MultiGraph(), nx.MultiGraph()), {}, "parallel"),
        ((nx.Graph(), nx.DiGraph()), {}, "both directed"),
        ((nx.path_graph(2), nx.path_graph(2)), {"roots": (0, 0)}, "roots"),
    ],
)
def test_what_we_refuse_has_a_reason(pair, options, reason):
    for name in ("graph_edit_distance", "optimize_graph_edit_distance"):
        if not (options and name.startswith("optimize")):
            assert reason in can_run(name, pair, options)
    with pytest.raises(NotImplementedError):
        nx.graph_edit_distance(*pair, **options, backend="grapheme")


def test_small_graphs_are_left_to_networkx_unless_they_are_ours():
    small, large = nx.path_graph(5), nx.path_graph(600)
    assert "fewer than" in should_run("find_cliques", (small,), {})
    assert should_run("find_cliques", (large,), {}) is True
    assert should_run("find_cliques", (convert_from_nx(small),), {}) is True
    assert should_run("graph_edit_distance", (small, small), {}) is True


def test_a_converted_graph_can_be_kept_and_given_back():
    graph = nx.path_graph(4)
    ours = convert_from_nx(graph)
    assert sorted(map(sorted, nx.find_cliques(ours))) == [[0, 1], [1, 2], [2, 3]]
    assert convert_to_nx(ours) is graph


def test_networkx_does_not_import_us_before_it_is_asked_to():
    heavy = ("numba", "scipy", "grapheme.graph.")
    code = f"import networkx, sys; print(*[name for name in sys.modules if name.startswith({heavy})])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout.split() == []
    assert [entry.name for entry in entry_points(group="networkx.backend_info", name="grapheme")] == ["grapheme"]
