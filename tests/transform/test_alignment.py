"""Alignments: what stays is found without any order of nodes, and edits that follow from it give the target."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from grapheme.datasets import task
from grapheme.datasets.drawing import Sizes, draw_sets
from grapheme.graph import Graph, MathGraph
from grapheme.graph.canonical import same_graph
from grapheme.transform import Edits, Vocabulary, align, apply_edits
from grapheme.transform.coding import CodedGraph
from grapheme.transform.lessons import Aligned
from grapheme.transform.realign import coded_result, replanned
from grapheme.transform.space import EditSpace
from grapheme.transform.supervision import plan, supervise

from .test_network import graphs, renumbered


@cache
def drawn(name, count):
    """Pairs of a task, drawn as those of a training run are."""
    draw, _ = task(name).generate.args
    return draw_sets(draw, Sizes(count, 1, 1), 0).train


def coded(*pair):
    vocabulary = Vocabulary.of(pair)
    return vocabulary, *(CodedGraph.of(graph, vocabulary) for graph in pair)


@pytest.mark.parametrize("directed", [True, False])
@settings(max_examples=25)
@given(data=st.data())
def test_a_graph_is_aligned_with_itself_however_it_is_numbered(directed, data):
    graph = data.draw(graphs(directed))
    number = np.array(data.draw(st.permutations(range(graph.nodes))))
    _, source, target = coded(graph, renumbered(graph, number))
    mapping = align(source, target)
    image = {(int(mapping[a]), int(mapping[b])) for a, b in source.edges}
    wanted = {(int(a), int(b)) for a, b in target.edges}
    if sorted(mapping) == list(range(graph.nodes)):  # an isomorphism, or a mapping that costs an edit or two
        assert len(image & (wanted | ({(b, a) for a, b in wanted} if not directed else set()))) >= len(image) - 2
    assert (source.labels[mapping >= 0] == target.labels[mapping[mapping >= 0]]).mean() >= 0.5


def test_a_removed_unit_leaves_the_rest_where_it_was():
    """In x*y + 0 -> x*y the product stays, and the sum and the zero go."""
    vocabulary, source, target = coded(MathGraph.from_expression("x*y + 0"), MathGraph.from_expression("x*y"))
    mapping = align(source, target)
    names = {vocabulary.labels[source.labels[i]]: int(mapping[i]) for i in range(source.nodes)}
    assert names["+"] == names[0] == -1
    assert [vocabulary.labels[target.labels[names[name]]] for name in ("x", "y", "*")] == ["x", "y", "*"]


@pytest.mark.parametrize("name", ["boolean", "peano", "math-6"])
def test_shuffled_targets_give_the_same_supervision(name):
    rng = np.random.default_rng(0)
    pairs = [(pair.source, pair.target) for pair in drawn(name, 20)]
    vocabulary = Vocabulary.of(graph for pair in pairs for graph in pair)
    space = EditSpace(pairs[0][0].directed, len(vocabulary.edge_labels), 3, 3, False)
    same = []
    for one, other in pairs:
        source, target = CodedGraph.of(one, vocabulary), CodedGraph.of(other, vocabulary)
        order = rng.permutation(other.nodes)
        labels = [other.node_labels[i] for i in np.argsort(order)]
        shuffled = CodedGraph.of(
            Graph.from_edges(order[other.edge_list], other.nodes, labels, other.directed, other.edge_labels), vocabulary
        )
        seen = []
        for each in (target, shuffled):
            example = supervise(source, each, plan(source, each, align(source, each)), space)
            seen.append([example.targets.nodes, example.targets.slots, example.targets.pairs, example.edits.pairs])
        same.append(all(np.array_equal(a, b) for a, b in zip(*seen, strict=True)))
    assert np.mean(same) >= 0.95  # where nodes of a target cannot be told apart, either may be meant


@pytest.mark.parametrize("name", ["edit-cycles", "boolean", "peano", "math-1", "code", "text-case"])
def test_edits_that_are_taught_give_the_target(name):
    pairs = drawn(name, 12)
    aligned = Aligned.of([(pair.source, pair.target) for pair in pairs], radius=4)
    right = []
    for pair, each, (source, target) in zip(pairs, aligned.plans, aligned.pairs, strict=True):
        example = supervise(source, target, each, aligned.space)
        result = apply_edits(Edits.of(example.edits, example.targets), aligned.vocabulary)
        right.append(same_graph(result, Graph.from_graph(pair.target)))
    assert np.mean(right) >= 0.8  # the rest needs more slots, or edges that reach further, than nearly all others do


def test_life_is_aligned_by_what_cells_become():
    """The next board says nothing of where its cells were; which cell each was is found from all boards together."""
    rng = np.random.default_rng(1)
    pairs, numbers = [], []
    for pair in drawn("life-graph", 60):
        numbers.append(rng.permutation(pair.target.nodes))
        labels = [pair.target.node_labels[i] for i in np.argsort(numbers[-1])]
        target = Graph.from_edges(numbers[-1][pair.target.edge_list], pair.target.nodes, labels)
        pairs.append((pair.source, target))
    aligned = Aligned.of(pairs)
    right = [np.array_equal(each.mapping, number) for each, number in zip(aligned.plans, numbers, strict=True)]
    assert np.mean(right) > 0.9


def test_edits_are_applied_as_they_say():
    """By hand: a - b - c with b deleted, a new node after a, and an edge from it to c."""
    graph = Graph.from_edges([(0, 1), (1, 2)], labels=["a", "b", "c"])
    vocabulary = Vocabulary.of([graph])
    edits = Edits(
        nodes=np.array([1, 0, 2], np.int32),
        anchors=np.array([0], np.int32),
        slots=np.array([0], np.int32),
        new=np.array([3], np.int32),
        pairs=np.array([(0, 2), (0, 3), (2, 3), (0, 1)], np.int32),
        edges=np.array([0, 1, 1, 1], np.int32),
    )
    result = apply_edits(edits, vocabulary)
    assert result.node_labels == ("a", "b", "c")  # a as it was, c now labelled b, and the new c
    assert result.edge_list.tolist() == [[0, 2], [1, 2]]


def test_a_right_prediction_is_a_right_plan():
    """A network that gives the target but calls other nodes new is taught its own way."""
    _, source, target = coded(
        Graph.from_edges([(0, 1)], labels=["a", "b"]), Graph.from_edges([(0, 1), (1, 2)], labels=["a", "b", "c"])
    )
    edits = Edits(
        nodes=np.array([1, 0], np.int32),
        anchors=np.array([0, 0], np.int32),
        slots=np.array([0, 1], np.int32),
        new=np.array([2, 3], np.int32),
        pairs=np.array([(0, 2), (2, 3)], np.int32),
        edges=np.array([1, 1], np.int32),
    )
    result, number = coded_result(source, edits)
    assert result.labels.tolist() == [0, 1, 2]
    assert number.tolist() == [0, -1, 1, 2]
    found = replanned(source, target, edits)
    assert found.mapping.tolist() == [0, -1]
    assert (found.new.tolist(), found.anchors.tolist(), found.slots.tolist()) == ([1, 2], [0, 0], [0, 1])
