"""Networks that edit graphs and a cortex, trained through the unmodified CUDA sources and host code on the CPU."""

from __future__ import annotations

import numpy as np
import pytest

import grapheme
from grapheme.backend.parallelism import Parallelism
from grapheme.cortex import CollaborativeCortexConfig, CollaborativeCortexTrainer, Cortex, Sample
from grapheme.kernels import CortexKernels
from grapheme.testing import Case, all_cases, assert_close, assert_same_bits
from grapheme.testing.case import named
from grapheme.testing.edit_problems import EditSizes, edit_problem
from grapheme.testing.graph_pairs import random_graph
from grapheme.transform import GraphEditNet, NetShape
from grapheme.transform.lessons import Aligned, Lessons
from grapheme.transform.losses import EditLoss, StructuralLoss
from grapheme.transform.trainer import Course, EditTrainer

pytestmark = pytest.mark.usefixtures("stand_in")


@pytest.fixture(scope="module")
def aligned():
    """Pairs of unrelated graphs, more than two groups of them."""
    sizes = np.random.default_rng(1).integers(1, 7, (19, 2))
    pairs = [
        tuple(random_graph(2 * i + side, nodes, 0.4, "abc", "xy", directed=True) for side, nodes in enumerate(each))
        for i, each in enumerate(sizes.tolist())
    ]
    return Aligned.of(pairs, radius=2)


def train(aligned, backend, dtype="float64", loss=EditLoss()):  # noqa: B008 - a value
    """The losses of three steps, and the parameters at the end."""
    model = GraphEditNet.build(aligned.vocabulary, aligned.space, NetShape(8, 2), seed=1, dtype=dtype)
    trainer = EditTrainer(model, Lessons(aligned, loss), Course(lr=0.01), backend)
    metrics = [trainer.train_on(range(19)) for _ in range(3)]
    return np.array([each.soft_loss for each in metrics]), model.to_host()


@pytest.mark.parametrize("loss", [EditLoss(), StructuralLoss(iterations=4)], ids=["edits", "structural"])
def test_three_steps_give_the_oracles_losses_and_parameters(aligned, loss):
    (actual, parameters), (expected, known) = (train(aligned, name, loss=loss) for name in ("cupy", "numpy"))
    assert expected[2] < expected[0]
    np.testing.assert_allclose(actual, expected, rtol=1e-10)
    for name, vector in known.items():
        np.testing.assert_allclose(parameters[name], vector, rtol=1e-8, atol=1e-8)


@pytest.mark.parametrize("directed", [True, False])
def test_soft_graphs_of_more_nodes_and_labels_than_lanes(directed, settings):
    p = edit_problem(4, EditSizes(examples=3, nodes=36, labels=34, edge_labels=3, directed=directed))
    assert (np.diff(p.edits.offsets) + np.diff(p.edits.inserted_offsets)).max() > 32
    losses = named("losses", "gradient of nodes", "gradient of slots", "gradient of pairs")
    case = Case(CortexKernels.structural_loss, "", (p.edits, p.whole, *p.logits, (1.0, 0.5, 0.25), 3, 0.5), losses)
    settings(order="shuffled")
    actual = case.run(grapheme.get_backend("cupy"))
    for name, expected in case.expected.items():
        assert_close(actual[name], expected, name)


def test_examples_that_share_a_workspace_get_the_same_bits_without_a_race(settings, monkeypatch):
    from grapheme_cupy import device

    backend = grapheme.get_backend("cupy")
    cases = [case for case in all_cases() if case.kernel == "cortex.structural_loss"]
    together = [case.run(backend) for case in cases]
    monkeypatch.setattr(device, "WORKSPACE", 1)
    settings(mode="races")
    for case, expected in zip(cases, together, strict=True):
        for name, array in case.run(backend).items():
            assert_same_bits(array, expected[name], name)


def test_chunks_of_a_batch_give_the_same_bits(aligned):
    backend = grapheme.get_backend("cupy")
    results = [
        train(aligned, backend.with_parallelism(Parallelism(samples_at_once=samples)), "float32")
        for samples in (None, 8)
    ]
    (whole, parameters), (chunked, others) = results
    assert_same_bits(chunked, whole, "losses")
    for name, vector in parameters.items():
        assert_same_bits(others[name], vector, name)


def test_what_was_learnt_is_applied_to_a_graph(aligned):
    model = GraphEditNet.build(aligned.vocabulary, aligned.space, NetShape(8, 2), seed=1, dtype="float64")
    graphs = [random_graph(seed, 5, 0.4, "abc", "xy", directed=True) for seed in range(4)]
    for actual, expected in zip(model.predict(graphs, "cupy"), model.predict(graphs, "numpy"), strict=True):
        assert actual.edge_list.tolist() == expected.edge_list.tolist()
        assert actual.node_labels == expected.node_labels


def learn(backend):
    """The losses of three steps of a cortex, what it answers then, and its parameters."""
    samples = [
        *(Sample(f"x = x + {value}", f"x += {value}", "code") for value in (1, 2)),
        *(Sample(f"{value}*x + 0", f"{value}*x", "math") for value in (1, 2, 3)),
        *(Sample(word, word.replace("ph", "f"), "text") for word in ("phone", "photo", "graph")),
    ]
    config = CollaborativeCortexConfig(embed_dim=8, hidden_dim=8, learning_rate=0.01)
    trainer = CollaborativeCortexTrainer(Cortex.build(samples, config, dtype="float64", seed=1), backend)
    losses = [trainer.train_batch(samples).total for _ in range(3)]
    answers = trainer.process_batch([sample.source for sample in samples])
    return np.array(losses), [(each.brain, each.text) for each in answers], trainer.model.parameters


def test_three_steps_of_a_cortex_give_the_oracles_losses_answers_and_parameters():
    (actual, answers, parameters), (expected, right, known) = (learn(name) for name in ("cupy", "numpy"))
    assert expected[2] < expected[0]
    np.testing.assert_allclose(actual, expected, rtol=1e-10)
    assert answers == right
    for name, vector in known.items():
        np.testing.assert_allclose(parameters[name], vector, rtol=1e-8, atol=1e-8)
