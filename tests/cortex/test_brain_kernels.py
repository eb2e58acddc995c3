"""The oracle's kernels of several brains, by hand and against finite differences."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from grapheme_numpy.cortex import decode_brains, encode_brains, encode_brains_grad, node_sums

from grapheme.kernels.graph_arrays import GROUP, GraphArrays
from grapheme.kernels.parameters import EncoderLayout
from grapheme.testing.edit_problems import EditSizes, edit_problem

BRAINS = (
    edit_problem(1, EditSizes(examples=3)),
    edit_problem(2, EditSizes(examples=GROUP + 1, nodes=3, directed=False, mean=True, width=4)),
    edit_problem(3, EditSizes(examples=2, norm=True, shared=True, layers=3)),
)
"""One of which has more graphs than a group."""


def slope(function: Callable[[np.ndarray], float], at: np.ndarray, way: np.ndarray, small: float = 1e-6) -> float:
    """Return the central difference of a function along a direction."""
    return (function(at + small * way) - function(at - small * way)) / (2 * small)


def ways(size: int) -> np.ndarray:
    """Return directions: all numbers at once, four times, and twelve of them alone."""
    rng = np.random.default_rng(0)
    return np.concatenate([rng.standard_normal((4, size)), np.eye(size)[rng.permutation(size)[:12]]])


def two_nodes() -> tuple[EncoderLayout, GraphArrays, np.ndarray]:
    """The second of two nodes sends a message to the first; embeddings are one number, 1 and 2 at first."""
    layout = EncoderLayout(labels=2, degrees=1, relations=1, width=1, layers=1)
    none = np.zeros(2, np.int32)
    one, zero = np.array([1], np.int32), np.array([0], np.int32)
    graph = GraphArrays(np.array([0, 2]), np.array([0, 1], np.int32), none, none, np.array([0, 1, 1]), one, zero)
    parameters = np.zeros(layout.size)
    views = layout.views(parameters)
    views["label"][:] = [[1], [2]]
    views["weights"][0] = [[[0.5]], [[2]]]
    views["bias"][0] = -3
    return layout, graph, parameters


def test_a_message_by_hand() -> None:
    """The first node sums up 1/2 + 4 - 3, the second 1 - 3, of which LeakyReLU lets a hundredth through."""
    layout, graph, parameters = two_nodes()
    ((states, sums),) = encode_brains([layout], [graph], [parameters])
    assert sums[0, :, 0].tolist() == [1.5, -2]
    assert states[0, :, 0].tolist() == [1, 2]
    np.testing.assert_allclose(states[1, :, 0], [2.5, 1.98], rtol=1e-15)


def test_the_gradient_of_a_message_by_hand() -> None:
    """Of the sum of both states; 1 reaches the sums of the first node, 1/100 those of the second."""
    layout, graph, parameters = two_nodes()
    encoded = encode_brains([layout], [graph], [parameters])
    ((part,),) = encode_brains_grad([layout], [graph], [parameters], encoded, [np.ones((2, 1))])
    found = layout.views(part)
    np.testing.assert_allclose(found["bias"][0, 0], 1.01, rtol=1e-15)
    np.testing.assert_allclose(found["weights"][0, :, 0, 0], [1 * 1 + 2 * 0.01, 2 * 1], rtol=1e-15)
    np.testing.assert_allclose(found["label"][:, 0], [1 + 0.5, 1 + 0.01 * 0.5 + 2], rtol=1e-15)


def test_the_gradient_of_every_brains_embeddings_against_finite_differences() -> None:
    layouts, graphs = [p.encoder for p in BRAINS], [p.graphs for p in BRAINS]
    vectors, grads = [p.encoder_parameters for p in BRAINS], [p.embeddings for p in BRAINS]
    parts = encode_brains_grad(layouts, graphs, vectors, encode_brains(layouts, graphs, vectors), grads)
    assert [len(part) for part in parts] == [1, 2, 1]
    for brain, part in enumerate(parts):

        def value(vector: np.ndarray, brain: int = brain) -> float:
            changed = [*vectors[:brain], vector, *vectors[brain + 1 :]]
            found = encode_brains(layouts, graphs, changed)
            return sum(float((states[-1] * grad).sum()) for (states, _), grad in zip(found, grads, strict=True))

        for way in ways(len(vectors[brain])):
            expected = slope(value, vectors[brain], way)
            assert part.sum(axis=0) @ way == pytest.approx(expected, rel=1e-6, abs=1e-7)


def test_the_gradient_of_every_brains_edits_against_finite_differences() -> None:
    layouts, edits, targets = [p.heads for p in BRAINS], [p.edits for p in BRAINS], [p.targets for p in BRAINS]
    vectors, embeddings = [p.heads_parameters for p in BRAINS], [p.embeddings for p in BRAINS]

    def total(vectors: list[np.ndarray], embeddings: list[np.ndarray]) -> float:
        found = decode_brains(layouts, edits, targets, vectors, embeddings)
        return sum(float(losses.sum()) for losses, *_ in found)

    found = decode_brains(layouts, edits, targets, vectors, embeddings)
    for brain, (losses, logits, grad, parts) in enumerate(found):
        p = BRAINS[brain]

        def by_parameters(vector: np.ndarray, brain: int = brain) -> float:
            return total([*vectors[:brain], vector, *vectors[brain + 1 :]], embeddings)

        def by_embeddings(rows: np.ndarray, brain: int = brain) -> float:
            return total(vectors, [*embeddings[:brain], rows, *embeddings[brain + 1 :]])

        assert (len(losses), len(parts)) == (len(p.edits), -(-len(p.edits) // GROUP))
        assert [part.shape for part in logits] == [part.shape for part in p.logits]
        for way in ways(p.heads.size):
            expected = slope(by_parameters, p.heads_parameters, way)
            assert parts.sum(axis=0) @ way == pytest.approx(expected, rel=1e-6, abs=1e-7)
        for way in ways(grad.size).reshape(-1, *grad.shape):
            expected = slope(by_embeddings, p.embeddings, way)
            assert (grad * way).sum() == pytest.approx(expected, rel=1e-6, abs=1e-7)


def test_sums_over_nodes_by_hand() -> None:
    nodes, none = np.zeros(6, np.int32), np.zeros(0, np.int32)
    graphs = GraphArrays(np.array([0, 2, 3, 6]), nodes, nodes, nodes, np.zeros(7, np.int64), none, none)
    rows = np.array([[1.0, 2], [3, 6], [5, 5], [0, 1], [0, 2], [3, 3]], np.float32)
    found = node_sums(graphs, rows)
    assert found.tolist() == [[4, 8], [5, 5], [3, 6]]
    assert found.dtype == np.float32
