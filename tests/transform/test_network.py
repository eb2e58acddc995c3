"""What a network computes does not depend on the numbers of nodes, on threads or on chunks."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import grapheme
from grapheme.backend.parallelism import Parallelism, cores
from grapheme.errors import InvalidInputError
from grapheme.graph import Graph
from grapheme.graph.canonical import same_graph
from grapheme.transform import EditSpace, GraphEditNet, NetShape, Vocabulary
from grapheme.transform.coding import CodedGraph
from grapheme.transform.lessons import Aligned, Lessons
from grapheme.transform.losses import EditLoss, StructuralLoss, whole_target
from grapheme.transform.objective import loss_and_grad
from grapheme.transform.supervision import Example, Plan, plan

LABELS = ("a", "b", "c")


@st.composite
def graphs(draw, directed, least=1):
    nodes = draw(st.integers(least, 7))
    ends = draw(st.sets(st.tuples(st.integers(0, nodes - 1), st.integers(0, nodes - 1)), max_size=12))
    edges = sorted({(a, b) if directed or a < b else (b, a) for a, b in ends if a != b})
    labels = draw(st.lists(st.sampled_from(LABELS), min_size=nodes, max_size=nodes))
    kinds = draw(st.lists(st.sampled_from((0, 1)), min_size=len(edges), max_size=len(edges)))
    return Graph.from_edges(edges, nodes, labels, directed, kinds)


def renumbered(graph, number):
    labels = [graph.node_labels[i] for i in np.argsort(number)]
    return Graph.from_edges(number[graph.edge_list], graph.nodes, labels, graph.directed, graph.edge_labels or [])


def network(directed, shape=None, dtype="float64"):
    vocabulary = Vocabulary(LABELS, (0, 1), directed)
    space = EditSpace(directed, 2, slots=2, radius=2, loops=False)
    return GraphEditNet.build(vocabulary, space, shape or NetShape(8, 3), seed=1, dtype=dtype)


@pytest.mark.parametrize("directed", [True, False])
@settings(max_examples=25)
@given(data=st.data())
def test_renumbering_nodes_renumbers_all_scores(directed, data):
    graph = data.draw(graphs(directed))
    number = np.array(data.draw(st.permutations(range(graph.nodes))))
    model, oracle = network(directed), grapheme.get_backend("numpy")
    seen = []
    for each in (graph, renumbered(graph, number)):
        coded = CodedGraph.of(each, model.vocabulary)
        embeddings = model.embed(coded.arrays(), oracle)[0][-1]
        anchors, slots = model.space.every_slot(each.nodes)
        edits = model.space.edits(coded, np.ones(each.nodes, np.bool_), anchors, slots)
        nodes, inserted, pairs = model.scores(edits, embeddings, oracle)
        names = [(v, -1) for v in range(each.nodes)]  # a node's number, and for a new one its anchor's and its slot
        names += list(zip(edits.anchors.tolist(), edits.slots.tolist(), strict=True))
        by_ends = {(names[a], names[b]): row for (a, b), row in zip(edits.pairs, pairs, strict=True)}
        seen.append((embeddings, nodes, inserted, by_ends))
    before, after = seen
    for one, other in zip(before[:3], after[:3], strict=True):
        np.testing.assert_allclose(other[number], one, rtol=1e-9, atol=1e-9)
    assert len(before[3]) == len(after[3])
    for ((a, s), (b, t)), row in before[3].items():
        moved = (int(number[a]), s), (int(number[b]), t)
        found = after[3].get(moved) if moved in after[3] or directed else after[3][moved[::-1]]
        np.testing.assert_allclose(found, row, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("directed", [True, False])
@settings(max_examples=15)
@given(data=st.data())
def test_renumbering_nodes_gives_the_same_graph(directed, data):
    graph = data.draw(graphs(directed))
    number = np.array(data.draw(st.permutations(range(graph.nodes))))
    model = network(directed)
    assert same_graph(model(graph, "numpy"), model(renumbered(graph, number), "numpy"))


def examples(loss, dtype="float64", count=21):
    rng = np.random.default_rng(0)
    model = network(True, dtype=dtype)
    found = []
    for _ in range(count):
        pair = []
        for nodes in rng.integers(1, 7, 2):
            edges = np.argwhere(np.triu(rng.random((nodes, nodes)) < 0.5, 1))
            labels = rng.choice(LABELS, nodes).tolist()
            graph = Graph.from_edges(edges, nodes, labels, True, rng.integers(0, 2, len(edges)).tolist())
            pair.append(CodedGraph.of(graph, model.vocabulary))
        mapping = np.where(rng.random(pair[0].nodes) < 0.5, np.arange(pair[0].nodes), -1)
        mapping = np.where(mapping < pair[1].nodes, mapping, -1).astype(np.int32)
        found.append(loss.example(*pair, plan(*pair, mapping), model.space))
    return model, Example.join(found)


@pytest.mark.parametrize("loss", [EditLoss(), StructuralLoss()], ids=["edits", "structural"])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_threads_and_chunks_change_no_bit(loss, dtype):
    model, batch = examples(loss, dtype)
    results = []
    for threads in range(1, min(2, cores()) + 1):
        for parallelism in (Parallelism(), Parallelism(samples_at_once=8), Parallelism(parallel_batch=False)):
            backend = grapheme.get_backend("numba", threads).with_parallelism(parallelism)
            results.append(loss_and_grad(model, batch, backend, loss))
    for other in results[1:]:
        assert other.loss_per_example.tobytes() == results[0].loss_per_example.tobytes()
        for name, grad in other.grads.items():
            assert grad.tobytes() == results[0].grads[name].tobytes()


@pytest.mark.parametrize("loss", [EditLoss(), StructuralLoss()], ids=["edits", "structural"])
def test_compiled_and_oracle_agree_on_a_whole_step(loss, oracle):
    model, batch = examples(loss)
    expected = loss_and_grad(model, batch, oracle, loss)
    actual = loss_and_grad(model, batch, grapheme.get_backend("numba", 1), loss)
    np.testing.assert_allclose(actual.loss_per_example, expected.loss_per_example, rtol=1e-10)
    np.testing.assert_array_equal(actual.right, expected.right)
    for name, grad in actual.grads.items():
        np.testing.assert_allclose(grad, expected.grads[name], atol=1e-10 * np.abs(expected.grads[name]).max())


def test_a_whole_network_goes_back_to_its_parameters(oracle):
    """Message passing, heads and both losses in one, along a random direction."""
    for loss in (EditLoss(), StructuralLoss()):
        model, batch = examples(loss, count=6)
        grads = loss_and_grad(model, batch, oracle, loss).grads
        start = model.to_host()
        rng = np.random.default_rng(1)
        way = {name: rng.standard_normal(array.shape) for name, array in start.items()}
        step = 1e-6
        seen = []
        for sign in (1, -1):
            model.set_parameters({name: start[name] + sign * step * way[name] for name in start}, oracle)
            seen.append(loss_and_grad(model, batch, oracle, loss).loss)
        expected = (seen[0] - seen[1]) / (2 * step)
        assert sum((grads[name] * way[name]).sum() for name in start) == pytest.approx(expected, rel=1e-6)


def test_a_network_comes_back_from_its_tensors():
    model = network(False, NetShape(6, 2, mean=True, shared=True))
    again = GraphEditNet.from_tensors(model.tensors())
    graph = Graph.from_edges([(0, 1), (1, 2)], labels=["a", "b", "c"], edge_labels=[0, 1])
    assert (again.vocabulary, again.space, again.shape) == (model.vocabulary, model.space, model.shape)
    assert again(graph, "numpy") == model(graph, "numpy")


def test_an_unknown_label_is_named():
    graph = Graph.from_edges([(0, 1)], labels=["a", "z"], edge_labels=[0])
    with pytest.raises(InvalidInputError, match="No node in the training set has the label 'z'"):
        network(False)(graph, "numpy")
    with pytest.raises(InvalidInputError, match="trained on directed graphs"):
        network(True)(graph, "numpy")


def test_an_empty_training_set_is_refused():
    with pytest.raises(InvalidInputError, match="no pairs"):
        Aligned.of([])


def test_triangles_of_a_target_are_counted():
    """Two triangles that share an edge: its ends are in both."""
    graph = Graph.from_edges([(0, 1), (1, 2), (0, 2), (1, 3), (2, 3), (3, 4)], labels=["a"] * 5)
    coded = CodedGraph.of(graph, Vocabulary.of([graph]))
    assert whole_target(coded).triangles.tolist() == [1, 2, 2, 1, 0]


def test_lessons_come_back_from_their_state():
    pairs = [
        (Graph.from_edges([(0, 1)], labels=["a", "b"]), Graph.from_edges([(0, 1), (1, 2)], labels=["a", "b", "c"]))
    ] * 3
    lessons = Lessons(Aligned.of(pairs), EditLoss())
    again = Lessons(Aligned.of(pairs), EditLoss())
    lessons.batch(np.array([0, 2]))
    lessons.better[1] = Plan(*(np.array(row, np.int32) for row in ([1, 0], [2], [0], [0])))
    again.restore(lessons.state())
    for one, other in ((lessons.plan(i), again.plan(i)) for i in range(len(lessons))):
        for name in ("mapping", "new", "anchors", "slots"):
            assert getattr(one, name).tolist() == getattr(other, name).tolist()
    assert again.plan(1).mapping.tolist() == [1, 0]
    assert again.seen.tolist() == [True, False, True]
