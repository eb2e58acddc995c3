import json

import networkx as nx
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from grapheme.errors import InvalidInputError
from grapheme.graph import Graph, GraphemeGraph

from .strategies import graphs

TEXT = st.text(st.characters(exclude_categories=["Cs", "Cc"], exclude_characters="\ufffe\uffff"), max_size=4)
SHARED_FOLDER = settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])


@SHARED_FOLDER
@given(g=graphs())
def test_json_and_back(tmp_path, g):
    g.write(tmp_path / "g.json")
    assert Graph.read(tmp_path / "g.json") == g


def test_labels_that_are_numbers_of_numpy_are_written_as_plain_ones(tmp_path):
    Graph.from_edges([(0, 1)], 2, [np.int64(3), np.float64(0.5)]).write(tmp_path / "g.json")
    assert json.loads((tmp_path / "g.json").read_text())["node_labels"] == [3, 0.5]


@SHARED_FOLDER
@given(
    labels=st.lists(TEXT, min_size=3, max_size=3),
    directed=st.booleans(),
    weights=st.lists(st.floats(0, 9), min_size=2, max_size=2),
)
def test_graphml_and_back(tmp_path, labels, directed, weights):
    g = Graph.from_edges([(0, 1), (1, 2)], 3, labels, directed, weights)
    g.write(tmp_path / "g.graphml")
    assert Graph.read(tmp_path / "g.graphml") == g


def test_networkx_reads_what_we_write(tmp_path):
    Graph.from_edges([(0, 1), (1, 2), (2, 2)], labels="abc").write(tmp_path / "g.graphml")
    theirs = nx.read_graphml(tmp_path / "g.graphml")
    assert list(theirs.nodes(data="label")) == [("n0", "a"), ("n1", "b"), ("n2", "c")]
    assert sorted(theirs.edges()) == [("n0", "n1"), ("n1", "n2"), ("n2", "n2")]


def test_we_read_what_networkx_writes(tmp_path):
    theirs = nx.DiGraph([("x", "y"), ("y", "z")])
    nx.set_edge_attributes(theirs, {("x", "y"): 1, ("y", "z"): 2}, "label")
    nx.write_graphml(theirs, tmp_path / "g.graphml")
    (tmp_path / "g.json").write_text(json.dumps(nx.node_link_data(theirs)))
    wanted = Graph.from_edges([(0, 1), (1, 2)], directed=True, edge_labels=[1, 2])
    assert Graph.read(tmp_path / "g.graphml") == wanted
    assert Graph.read(tmp_path / "g.json") == wanted


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("g.json", b"\x89PNG\r\n", "no JSON"),
        ("g.json", b"[1, 2]", 'no "nodes"'),
        ("g.json", b'{"nodes": 2, "edges": [[0, -1]]}', "node -1"),
        ("g.json", b'{"nodes": "many"}', "many"),
        ("g.json", b'{"nodes": [{"id": 1}], "links": [{"source": 1, "target": 2}]}', "not there"),
        ("g.json", b'{"nodes": [7]}', "no records"),
        ("g.graphml", b"hello", "no XML"),
        ("g.graphml", b"<html/>", "no element <graph>"),
        ("g.graphml", b"<graphml><graph><edge source='a' target='b'/></graph></graphml>", "node 'a'"),
        ("g.txt", b"", "ends in"),
    ],
)
def test_a_file_that_is_no_graph_is_one_sentence(tmp_path, name, content, message):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(InvalidInputError, match=message) as error:
        Graph.read(tmp_path / name)
    assert "\n" not in str(error.value)


def test_a_file_that_is_missing(tmp_path):
    with pytest.raises(InvalidInputError, match="No such file"):
        Graph.read(tmp_path / "none.json")


def test_what_a_format_cannot_hold_is_refused(tmp_path):
    with pytest.raises(InvalidInputError, match=r"U\+0001"):
        Graph.from_graph(GraphemeGraph.from_text("a\x01")).write(tmp_path / "g.graphml")
    with pytest.raises(InvalidInputError, match="JSON file"):
        Graph.from_edges([], labels=[object()]).write(tmp_path / "g.json")
    assert not list(tmp_path.iterdir())
