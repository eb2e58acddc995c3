import pytest
from hypothesis import given
from hypothesis import strategies as st

from grapheme.errors import InvalidInputError
from grapheme.graph import Graph, GraphemeGraph

ANY_TEXT = st.text(st.characters(), max_size=30)  # lone surrogates too


@given(ANY_TEXT, st.integers(1, 5))
def test_text_and_back(text, window):
    g = GraphemeGraph.from_text(text, window)
    assert g.to_text() == text
    assert g.nodes == len(text)
    assert g.edges == sum(max(0, len(text) - step) for step in range(1, window + 1))


@given(ANY_TEXT, st.randoms())
def test_text_is_read_by_its_edges_not_by_its_numbers(text, random):
    g = GraphemeGraph.from_text(text, 3)
    name = list(range(g.nodes))
    random.shuffle(name)
    labels = [None] * g.nodes
    for old, new in enumerate(name):
        labels[new] = text[old]
    edges = [(name[a], name[b]) for a, b in g.edge_list.tolist()]
    moved = Graph.from_edges(edges, g.nodes, labels, True, g.edge_labels)
    assert GraphemeGraph.from_graph(moved).to_text() == text


def test_skip_edges():
    g = GraphemeGraph.from_text("abcd", window=2)
    assert g.edge_list.tolist() == [[0, 1], [0, 2], [1, 2], [1, 3], [2, 3]]
    assert g.edge_labels == (1, 2, 1, 2, 1)
    assert g.node_labels == ("a", "b", "c", "d")


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: GraphemeGraph.from_text(b"abc"), "string"),
        (lambda: GraphemeGraph.from_text("abc", 0), "window"),
        (lambda: GraphemeGraph.from_graph(Graph.from_edges([(0, 1)], directed=True)), "one character"),
        (lambda: GraphemeGraph.from_graph(Graph.from_edges([(0, 1)], labels="ab")), "directed"),
        (lambda: GraphemeGraph.from_graph(Graph.from_edges([(0, 1)], labels="abc", directed=True)), "one row"),
        (lambda: GraphemeGraph.from_graph(Graph.from_edges([(0, 1), (0, 2)], labels="abc", directed=True)), "one row"),
        (lambda: GraphemeGraph.from_graph(Graph.from_edges([(0, 1), (1, 0)], labels="ab", directed=True)), "one row"),
    ],
)
def test_bad_input_is_one_sentence(make, message):
    with pytest.raises(InvalidInputError, match=message):
        make()
