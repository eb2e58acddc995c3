import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from grapheme.errors import InvalidInputError
from grapheme.graph import Graph, GraphBatch
from grapheme.kernels.csr import Csr

from .strategies import graphs


def test_rows_of_a_path_with_a_loop():
    g = Graph.from_edges([(2, 1), (0, 1), (1, 1), (0, 1)])
    assert g.indptr.tolist() == [0, 1, 4, 5]
    assert g.indices.tolist() == [1, 0, 1, 2, 1]
    assert g.edge_list.tolist() == [[0, 1], [1, 1], [1, 2]]
    assert g.csr.arc_edges.tolist() == [0, 0, 1, 2, 2]
    assert (g.nodes, g.edges) == (3, 3)


def test_edge_labels_follow_the_edges_into_order():
    g = Graph.from_edges([(2, 1), (1, 0)], labels="abc", edge_labels=["x", "y"])
    assert g.edge_list.tolist() == [[0, 1], [1, 2]]
    assert g.edge_labels == ("y", "x")


def test_arrays_cannot_be_changed():
    with pytest.raises(ValueError, match="read-only"):
        Graph.from_edges([(0, 1)]).indices[0] = 5


@given(graphs())
def test_networkx_and_back(g):
    there = g.to_networkx()
    assert sorted(map(sorted, there.edges())) == sorted(map(sorted, g.edge_list.tolist()))
    back = Graph.from_networkx(there)
    unlabelled = g.node_labels is None or all(label is None for label in g.node_labels)
    assert back == g or unlabelled or set(g.edge_labels or ()) == {None}
    assert np.array_equal(back.indices, g.indices)


@given(graphs())
def test_scipy_and_back(g):
    matrix = g.to_scipy()
    assert matrix.shape == (g.nodes, g.nodes)
    back = Graph.from_scipy((matrix != 0) + 0, g.directed) if g.edge_labels is None else None
    assert back is None or np.array_equal(back.edge_list, g.edge_list)


def test_scipy_weights_are_labels():
    g = Graph.from_scipy(np.array([[0, 2.5], [2.5, 0]]), weights=True)
    assert g.edge_labels == (2.5,)
    assert g.to_scipy().toarray().tolist() == [[0, 2.5], [2.5, 0]]


@given(st.lists(graphs(directed=True), max_size=4))
def test_batches_and_back(many):
    plain = [Graph.from_edges(g.edge_list, g.nodes, directed=True) for g in many]
    batch = GraphBatch.of(plain)
    assert list(batch) == plain
    assert batch.graph.nodes == sum(g.nodes for g in plain)


def test_a_batch_is_block_diagonal():
    batch = GraphBatch.of([Graph.from_edges([(0, 1)], labels="ab"), Graph.from_edges([(0, 2), (1, 2)], labels="cde")])
    assert batch.offsets.tolist() == [0, 2, 5]
    assert batch.graph.edge_list.tolist() == [[0, 1], [2, 4], [3, 4]]
    assert batch[1].node_labels == ("c", "d", "e")


def test_networkx_order_is_kept():
    there = nx.Graph([("b", "a"), ("a", "c")])
    assert Graph.from_networkx(there).edge_list.tolist() == [[0, 1], [1, 2]]


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Graph.from_edges([(0, -1)]), "names node -1"),
        (lambda: Graph.from_edges([(0, 5)], n=3), "names node 5"),
        (lambda: Graph.from_edges([(0, 1, 2)]), "pairs of whole numbers"),
        (lambda: Graph.from_edges([(0.5, 1.0)]), "pairs of whole numbers"),
        (lambda: Graph.from_edges([(0, 1), (2,)]), "pairs of whole numbers"),
        (lambda: Graph.from_edges([], n=-2), "got -2"),
        (lambda: Graph.from_edges([(0, 1)], labels="abc", n=2), "3 node labels"),
        (lambda: Graph.from_edges([(0, 1), (1, 0)], edge_labels="ab"), "given twice"),
        (lambda: Graph.from_scipy(np.ones((2, 3))), "square"),
        (lambda: Graph.from_scipy(np.array([[0, 1], [0, 0]])), "symmetric"),
        (lambda: Graph.from_networkx(nx.MultiGraph([(0, 1)])), "several edges"),
        (lambda: Graph(Csr(np.array([0, 1, 1]), np.array([1]), False)), "both rows"),
        (lambda: Graph(Csr(np.array([0, 2, 2]), np.array([1, 0]), True)), "ascend"),
        (lambda: GraphBatch.of([Graph.from_edges([]), Graph.from_edges([], directed=True)]), "all directed"),
    ],
)
def test_bad_input_is_one_sentence(make, message):
    with pytest.raises(InvalidInputError, match=message) as error:
        make()
    assert "\n" not in str(error.value)
