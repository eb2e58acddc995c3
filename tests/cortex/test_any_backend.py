"""A cortex on arrays that refuse numpy, its kernels composed: it learns, answers and measures what the oracle does."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

import grapheme
from asv_bench.study_cortex import spread, zeroed
from grapheme.backend import Backend
from grapheme.cortex import CollaborativeCortexTrainer, Cortex, Sample
from grapheme.cortex.objective import loss_and_grad
from grapheme.cortex.pooling import placed, pooled, pooled_grad
from grapheme.cortex.preparation import prepare, read_in
from grapheme.kernels.graph_arrays import GraphArrays
from grapheme.testing import assert_close
from tests.cortex.test_trainer import CONFIG, SAMPLES
from tests.fakes import on_device, opaque, to_host


@cache
def trained(name: str) -> tuple[CollaborativeCortexTrainer, list[float]]:
    """A trainer after two epochs, and the losses of all six steps."""
    backend = opaque() if name == "opaque" else grapheme.get_backend(name)
    trainer = CollaborativeCortexTrainer(Cortex.build(SAMPLES, CONFIG, dtype="float64", seed=1), backend)
    steps = [trainer.train_batch(SAMPLES[first : first + 6]) for _ in range(2) for first in (0, 6, 12)]
    return trainer, [loss.total for loss in steps]


def test_six_steps_give_the_oracles_losses_and_parameters() -> None:
    (one, losses), (other, expected) = trained("opaque"), trained("numpy")
    assert expected[5] < expected[2]
    assert losses == pytest.approx(expected, rel=1e-12)
    for name, vector in other.model.parameters.items():
        assert_close(one.model.parameters[name], vector, name)


def test_answers_are_the_oracles() -> None:
    texts = [*(sample.source for sample in SAMPLES), "ß"]
    one, other = (trained(name)[0].process_batch(texts) for name in ("opaque", "numpy"))
    assert [each.text for each in one] == [each.text for each in other]
    for each, expected in zip(one, other, strict=True):
        assert each.weights == pytest.approx(expected.weights, rel=1e-12)
    assert [each.brain is None for each in other] == [False] * len(SAMPLES) + [True]


def test_a_restored_trainer_goes_on_where_it_was() -> None:
    one = CollaborativeCortexTrainer(Cortex.build(SAMPLES, CONFIG, dtype="float64", seed=1), opaque())
    one.train_batch(SAMPLES)
    other = CollaborativeCortexTrainer(Cortex.build(SAMPLES, CONFIG, dtype="float64", seed=2), opaque())
    other.restore(one.state())
    assert other.train_batch(SAMPLES) == one.train_batch(SAMPLES)


def test_what_is_measured_of_views_is_the_oracles() -> None:
    found = []
    for name in ("opaque", "numpy"):
        trainer = trained(name)[0]
        read = [prepare(trainer.model, sample) for sample in SAMPLES]
        found.append(spread(trainer.model, read, trainer.backend))
        found.append(spread(zeroed(trainer.model, "text", trainer.backend), read, trainer.backend))
    assert found[:2] == [pytest.approx(expected, rel=1e-12) for expected in found[2:]]
    assert found[2] != found[3]


@pytest.mark.parametrize("name", ["opaque", "numpy"])
def test_samples_without_an_answer_teach_the_edits_nothing(name: str) -> None:
    trainer = trained(name)[0]
    cortex, backend = trainer.model, trainer.backend
    unknown = [read_in(cortex.read(text)) for text in ("x = x + 1", "ß")]
    grads = loss_and_grad(cortex, unknown, backend).grads
    assert list(grads) == list(cortex.parameters)
    assert all(not backend.to_numpy(grads[part]).any() for part in grads if part.endswith("heads"))
    silent = loss_and_grad(cortex, unknown[1:], backend)
    assert (silent.loss.total, silent.active) == (0, (0, 0, 0))


def graphs_of(*sizes: int) -> GraphArrays:
    """Graphs of so many nodes, without edges."""
    nodes = np.zeros(sum(sizes), np.int32)
    none = np.zeros(0, np.int32)
    return GraphArrays(np.cumsum([0, *sizes]), nodes, nodes, nodes, np.zeros(sum(sizes) + 1, np.int64), none, none)


@pytest.mark.parametrize("backend", [opaque(), grapheme.get_backend("numpy")], ids=["opaque", "numpy"])
def test_means_over_nodes_and_their_pull_back_by_hand(backend: Backend) -> None:
    graphs, states = graphs_of(2, 1, 3), np.array([[1.0, 2], [3, 6], [5, 5], [0, 1], [0, 2], [3, 3]])
    means = backend.to_numpy(pooled(graphs, backend.asarray(states), backend))
    assert means.tolist() == [[2, 4], [5, 5], [1, 2]]
    back = backend.to_numpy(pooled_grad(graphs, backend.asarray(np.array([[2.0, 4], [1, 1], [3, 6]])), backend))
    assert back.tolist() == [[1, 2], [1, 2], [1, 1], [1, 2], [1, 2], [1, 2]]


def test_rows_are_put_in_their_places() -> None:
    parts = [on_device([[1.0], [2]]), on_device([[3.0]])]
    rows = placed(parts, [np.array([3, 0]), np.array([4])], 5, opaque())
    assert to_host(rows).tolist() == [[2], [0], [0], [1], [3]]
    full = placed(parts, [np.array([2, 0]), np.array([1])], 3, opaque())
    assert to_host(full).tolist() == [[2], [3], [1]]


def test_a_sample_of_a_known_domain_has_an_answer() -> None:
    """Else the test of samples without one would say nothing."""
    cortex = trained("numpy")[0].model
    assert prepare(cortex, Sample("x = x + 1", "x += 1", "code")).own == cortex.index("code")
