"""``grapheme graph`` with good and with bad input."""

from __future__ import annotations

import json
import sys

import click
import networkx as nx
import numpy as np
import pytest
from click.testing import CliRunner
from PIL import Image

from grapheme.cli import cli
from grapheme.cli.graph import graph as group
from grapheme.cli.graph.progress import shown
from grapheme.graph import Graph


@pytest.fixture
def invoke(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def call(*arguments):
        return CliRunner().invoke(cli, ["graph", *map(str, arguments)])

    return call


@pytest.fixture
def karate(tmp_path):
    Graph.from_networkx(nx.karate_club_graph()).write(tmp_path / "karate.graphml")
    return "karate.graphml"


def test_cliques_are_counted_and_listed(invoke, karate):
    cliques = [clique for clique in nx.enumerate_all_cliques(nx.karate_club_graph()) if len(clique) == 4]
    assert invoke("cliques", karate, "-k", 4, "--count").stdout == f"{len(cliques)}\n"
    lines = invoke("cliques", karate, "-k", 4).stdout.splitlines()
    assert [list(map(int, line.split("\t"))) for line in lines] == cliques
    assert invoke("cliques", karate, "-k", 4, "--limit", 3).stdout.splitlines() == lines[:3]
    assert invoke("cliques", karate, "-k", 13, "--max-k", 13, "--count").stdout == "0\n"
    assert invoke("cliques", karate, "-k", 13, "--max-k", 13).stdout == ""


def test_communities_are_those_of_networkx(invoke, karate):
    theirs = nx.community.k_clique_communities(nx.karate_club_graph(), 3)
    wanted = sorted(sorted(nodes) for nodes in theirs)
    lines = invoke("communities", karate, "-k", 3).stdout.splitlines()
    assert [list(map(int, line.split("\t"))) for line in lines] == wanted
    assert json.loads(invoke("communities", karate, "-k", 3, "--json").stdout) == wanted
    assert invoke("communities", karate, "-k", 9).stdout == ""


def test_levels_are_the_generations_of_networkx(invoke, tmp_path):
    theirs = nx.gn_graph(40, seed=2)
    Graph.from_networkx(theirs).write(tmp_path / "tree.json")
    wanted = [sorted(nodes) for nodes in nx.topological_generations(theirs)]
    lines = invoke("levels", "tree.json").stdout.splitlines()
    assert [list(map(int, line.split("\t"))) for line in lines] == wanted
    assert json.loads(invoke("levels", "tree.json", "--json").stdout) == wanted


@pytest.fixture
def weighted(tmp_path):
    labels, weights = (2, 3, "sum", None), (0.5, -1, 2, 10)
    Graph.from_edges([(0, 2), (1, 2), (1, 3), (2, 3)], 4, labels, True, weights).write(tmp_path / "weighted.json")
    return "weighted.json"


def test_values_flow_along_edges(invoke, weighted):
    assert invoke("flow", weighted).stdout == "0\t2\n1\t3\n2\t-0.02\n3\t5.8\n"
    assert json.loads(invoke("flow", weighted, "--json", "--slope", 0.5).stdout) == [2, 3, -1, -4 * 0.5]


def test_the_gradient_of_a_flow(invoke, weighted):
    """By the chain rule; with a slope of 0.5, the value of node 2 is negative, so what goes into it counts half."""
    found = json.loads(invoke("flow", weighted, "--gradient", 3, "--json", "--slope", 1).stdout)
    assert found["inputs"] == [10 * 0.5, 2 - 10, 0, 0]
    assert found["weights"] == [10 * 2, 10 * 3, 3, -2]
    lines = invoke("flow", weighted, "--gradient", 2, "--slope", 0.5).stdout.splitlines()
    assert lines[:2] == ["node 0\t0.25", "node 1\t-0.5"]
    assert lines[4:6] == ["edge 0 -> 2\t1", "edge 1 -> 2\t1.5"]


@pytest.mark.parametrize(
    ("arguments", "distance"),
    [
        (("--text", "kitten", "sitting"), 4),  # two other letters, and one more with the edge to it
        (("--math", "x + y", "y + x"), 0),
        (("--math", "2 * x", "3 * x"), 1),
        (("--code", "a = 1", "a = 2"), 1),
    ],
)
def test_the_distance_of_what_is_typed(invoke, arguments, distance):
    result = invoke("distance", *arguments)
    assert result.stdout == f"{distance}\n", result.output


def test_files_are_read_by_the_ending_of_their_names(invoke, tmp_path):
    for name, one, other in (("f.txt", "ab", "abc"), ("f.math", "x\n", "-x\n"), ("f.py", "a", "a.b")):
        (tmp_path / name).write_text(one)
        (tmp_path / f"other-{name}").write_text(other)
        assert float(invoke("distance", name, f"other-{name}").stdout) > 0
        assert invoke("distance", name, name).stdout == "0\n"


def test_a_file_with_another_name_is_read_as_the_option_says(invoke, tmp_path):
    (tmp_path / "notes").write_text("ab")
    assert invoke("distance", "--text", "notes", "ab").stdout == "0\n"


def test_the_distance_as_json_has_the_edits(invoke):
    found = json.loads(invoke("distance", "--text", "ab", "ac", "--json").stdout)
    assert (found["lower"], found["upper"], found["optimal"], found["mapping"]) == (1, 1, True, [0, 1])
    assert found["edits"] == [{"kind": "node", "source": 1, "target": 1, "cost": 1.0}]


def test_a_distance_that_takes_too_long_is_an_interval(invoke, tmp_path):
    for seed in (1, 2):
        Graph.from_networkx(nx.gnp_random_graph(30, 0.4, seed)).write(tmp_path / f"{seed}.json")
    result = invoke("distance", "1.json", "2.json", "--timeout", 0)
    lower, upper = map(float, result.stdout.split(" to "))
    assert 0 < lower < upper
    assert "Time ran out" in result.stderr


def test_a_matrix_holds_the_distances_of_a_folder(invoke, tmp_path):
    folder = tmp_path / "graphs"
    folder.mkdir()
    graphs = {f"{name}.json": nx.gnp_random_graph(4, 0.5, seed) for seed, name in enumerate("abcd")}
    for name, graph in graphs.items():
        Graph.from_networkx(graph).write(folder / name)
    (folder / "README").write_text("is no graph")
    result = invoke("matrix", "graphs", "--out", "distances.npz")
    assert result.stdout == "Wrote distances.npz: 4 graphs, 100% of the distances exact\n"
    assert "6 of 6 pairs" in result.stderr
    found = np.load(tmp_path / "distances.npz")
    assert found["names"].tolist() == list(graphs)
    wanted = [[nx.graph_edit_distance(a, b) for b in graphs.values()] for a in graphs.values()]
    assert found["lower"].tolist() == found["upper"].tolist() == wanted
    assert invoke("matrix", "graphs", "--quiet").output == ""


def test_a_terminal_gets_a_bar(monkeypatch, capsys):
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    with shown("pairs", quiet=False) as progress:
        progress(3, 7)
        progress(7, 7)
    assert "7/7" in capsys.readouterr().err


def test_show_prints_or_draws(invoke, tmp_path):
    assert invoke("show", "--text", "a<").stdout == "GraphemeGraph(2 nodes, 1 directed edges)\n0 a -> 1 <\n"
    (tmp_path / "loops.json").write_text('{"nodes": 3, "edges": [[0, 0], [0, 1]]}')
    for graph in (("loops.json",), ("--text", "$a<\n"), ("--code", "x = 1"), ("--text", "")):
        result = invoke("show", *graph, "--png", "graph.png", "--html", "graph.html")
        assert result.stdout == "Wrote graph.png\nWrote graph.html\n", result.output
        assert Image.open(tmp_path / "graph.png").size == (1000, 1000)
        page = (tmp_path / "graph.html").read_text()
        assert page.count("<line ") + page.count("<circle ") == len(invoke("show", *graph).stdout.splitlines()) - 1
    assert page.count("<text") == 0


def test_a_page_shows_labels_as_they_are(invoke, tmp_path):
    invoke("show", "--text", "<&", "--html", "graph.html")
    page = (tmp_path / "graph.html").read_text()
    assert ">&lt;<title>node 0</title>" in page
    assert ">&amp;<title>node 1</title>" in page


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["cliques", "none.json", "-k", "3"], "No such file"),
        (["communities", "--text", "ab", "-k", "1"], "cliques of 2 or more nodes"),
        (["levels", "cycle.json"], "0 -> 1 -> 0"),
        (["flow", "--text", "ab", "--gradient", "2"], "no node 2"),
        (["flow", "--text", "ab", "--slope", "0"], "above 0"),
        (["cliques", "none", "-k", "3"], "'none' is no file whose name ends in"),
        (["cliques", "bad.json", "-k", "3"], "bad.json is no graph"),
        (["cliques", "bad.graphml", "-k", "3"], "bad.graphml is no graph"),
        (["cliques", "bad.bin", "-k", "3"], "say --text, --math or --code"),
        (["cliques", "good.json", "-k", "0"], "1 or more nodes; got k = 0"),
        (["cliques", "good.json", "-k", "99"], "set max_k=99"),
        (["cliques", "good.json"], "Missing option '-k'"),
        (["distance", "--math", "1 +", "x"], "Error: "),
        (["distance", "--code", "a = 1\nb =", "x"], "line 2"),
        (["distance", "--code", "nowhere.py", "x"], "Cannot read nowhere.py: No such file"),
        (["distance", "--text", "bad.bin", "x"], "Cannot read bad.bin: it is no text in UTF-8"),
        (["distance", "good.json", "good.json", "--timeout", "-1"], "-1.0 is not in the range"),
        (["distance", "good.json", "good.json", "--backend", "nunpy"], "Did you mean 'numpy'?"),
        (["distance", "good.json", "directed.json"], "both directed or both undirected"),
        (["matrix", "nowhere"], "There is no folder nowhere"),
        (["matrix", "empty"], "empty holds no graphs"),
        (["matrix", "."], "is no graph"),
        (["matrix", "one", "--out", "no/such/folder/d.npz"], "there is no folder no/such/folder"),
        (["show", "large.json", "--png", "large.png"], "up to 1000 nodes; the graph has 1001"),
        (["show", "good.json", "--html", "no/such/folder/a.html"], "Cannot write no/such/folder/a.html"),
        (["show", "bad.json", "--png", "bad.png", "--html", "bad.html"], "bad.json is no graph"),
    ],
)
def test_bad_input_gets_one_sentence_and_writes_nothing(invoke, tmp_path, arguments, message):
    for name, content in (
        ("bad.json", b"[1]"),
        ("bad.graphml", b"<html/>"),
        ("bad.bin", b"\xff\xfe\xff"),
        ("good.json", b'{"nodes": 2, "edges": [[0, 1]]}'),
        ("cycle.json", b'{"nodes": 2, "directed": true, "edges": [[0, 1], [1, 0]]}'),
        ("directed.json", b'{"nodes": 2, "edges": [[0, 1]], "directed": true}'),
        ("large.json", b'{"nodes": 1001}'),
    ):
        (tmp_path / name).write_bytes(content)
    (tmp_path / "empty").mkdir()
    (tmp_path / "one").mkdir()
    (tmp_path / "one" / "a.txt").write_text("a")
    before = sorted(tmp_path.rglob("*"))
    result = invoke(*arguments)
    assert result.exit_code != 0
    assert message in result.stderr
    assert result.stdout == ""
    assert result.stderr.splitlines()[-1].startswith("Error: ")
    assert sum(line.startswith("Error: ") for line in result.stderr.splitlines()) == 1
    assert sorted(tmp_path.rglob("*")) == before


def test_every_command_and_option_has_help():
    for name, command in group.commands.items():
        assert command.help, name
        for parameter in command.params:
            if isinstance(parameter, click.Option):
                assert parameter.help, f"{name} {parameter.name}"
