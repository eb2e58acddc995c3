"""What the model computes: against networkx, by hand, and against finite differences."""

from __future__ import annotations

import array_api_strict as strict
import networkx as nx
import numpy as np
import pytest
from grapheme_kcore.experiment import KCore
from grapheme_kcore.graphs import Graphs, core_members, draw
from grapheme_kcore.model import MessagePassing
from grapheme_kcore.trainer import MessagePassingTrainer

import grapheme
from grapheme.backend import Backend
from grapheme.errors import InvalidInputError
from grapheme.graph import Graph

NUMPY = grapheme.get_backend("numpy")
DEVICE = strict.Device("device1")


def exact(core):
    """A model whose rule is that of the definition: stay while enough neighbours do."""
    one = {name: np.zeros(shape) for name, shape in {"own": (1, 1), "bias": (1,), "offset": (1,)}.items()}
    one |= {"heard": np.full((1, 1), 40.0), "bias": np.array([-40.0 * (core - 0.5)])}
    return MessagePassing(one | {"read": np.array([1.0]), "offset": np.array([-0.5])})


def trainer(backend=NUMPY, width=3):
    model = MessagePassing.build(width, "float64", np.random.default_rng(4))
    return MessagePassingTrainer(model, 0.01, 100, backend)


@pytest.mark.parametrize("core", [1, 2, 3, 4])
def test_k_cores_are_those_of_networkx(core):
    drawn = draw(np.random.default_rng(core), 40, 14, core)
    assert 0 < drawn.members.sum() < drawn.members.size
    for adjacency, members in zip(*drawn, strict=True):
        wanted = nx.k_core(nx.from_numpy_array(adjacency), core)
        assert set(np.flatnonzero(members)) == set(wanted)


def test_graphs_are_simple():
    adjacency = draw(np.random.default_rng(0), 20, 12, 2).adjacency
    np.testing.assert_array_equal(adjacency, adjacency.transpose(0, 2, 1))
    assert not adjacency[:, np.arange(12), np.arange(12)].any()


def test_news_from_the_end_of_a_path_arrives():
    """A path has no 2-core, but its middle can know only after the ends have been taken away."""
    path = nx.to_numpy_array(nx.path_graph(31), dtype=bool)[None]
    ring = nx.to_numpy_array(nx.cycle_graph(31), dtype=bool)[None]
    assert not core_members(path, 2).any()
    assert core_members(ring, 2).all()
    assert not exact(2).members(path, NUMPY).any()
    assert exact(2).members(ring, NUMPY).all()


def test_the_rule_of_the_definition_can_be_expressed():
    drawn = draw(np.random.default_rng(1), 20, 30, 3)
    np.testing.assert_array_equal(exact(3).members(drawn.adjacency, NUMPY), drawn.members)


def test_a_model_takes_graphs_and_ignores_loops():
    edges = [(0, 1), (1, 2), (2, 0), (2, 3), (3, 3)]
    assert exact(2)(Graph.from_edges(edges), NUMPY).tolist() == [True, True, True, False]
    with pytest.raises(InvalidInputError, match="Give an undirected graph"):
        exact(2)(Graph.from_edges(edges, directed=True))


def test_gradients_are_finite_differences():
    batch = draw(np.random.default_rng(3), 5, 6, 2)
    learner = trainer()
    _, _, grads = learner.loss_and_grads(batch)
    start = learner.model.tensors()
    for name, value in start.items():
        for place in np.ndindex(value.shape):
            losses = []
            for change in (1e-5, -1e-5):
                moved = {key: array.copy() for key, array in start.items()}
                moved[name][place] += change
                learner.model = MessagePassing(moved)
                losses.append(learner.loss_and_grads(batch)[0])
            assert grads[name][place] == pytest.approx((losses[0] - losses[1]) / 2e-5, rel=1e-5, abs=1e-9), name


def test_the_loss_before_anything_is_known_is_a_coin_toss():
    nothing = {name: np.zeros_like(array) for name, array in trainer().model.tensors().items()}
    learner = MessagePassingTrainer(MessagePassing(nothing), 0.01, 100, NUMPY)
    batch = Graphs(np.zeros((2, 3, 3), bool), np.array([[True, False, False], [False, False, False]]))
    metrics = learner.train_on(batch)
    assert metrics.soft_mean == pytest.approx(np.log(2))
    assert metrics.soft_loss == pytest.approx(6 * np.log(2))
    assert (metrics.hard_loss, metrics.accuracy) == (1, pytest.approx(5 / 6))  # a logit of 0 says no


def test_arrays_of_any_backend_do():
    """Arrays on a device, which nothing but the array API standard can touch, lead to the same numbers."""
    device = Backend(
        "device",
        xp=strict,
        device="device1",
        asarray=lambda array: strict.asarray(np.ascontiguousarray(array), device=DEVICE),
        to_numpy=lambda array: np.asarray(array.to_device(strict.Device("CPU_DEVICE"))),
    )
    learners = [trainer(), trainer(device)]
    for seed in range(3):
        batch = draw(np.random.default_rng(seed), 8, 6, 2)
        here, there = (learner.train_on(batch) for learner in learners)
        assert here.soft_loss == pytest.approx(there.soft_loss)
    for here, there in zip(*(learner.state().values() for learner in learners), strict=True):
        np.testing.assert_allclose(here, there, rtol=1e-9)


def test_parameters_of_another_shape_are_refused():
    tensors = trainer().model.tensors() | {"read": np.zeros(7)}
    with pytest.raises(ValueError, match=r"'read' has the shape \(7,\), not \(3,\)"):
        MessagePassing(tensors)


def test_batches_differ_by_step_and_repeat_by_number():
    task = KCore(core=2)
    first, again, other = task.batch(0, 0, 5), task.batch(0, 0, 5), task.batch(0, 0, 6)
    np.testing.assert_array_equal(first.adjacency, again.adjacency)
    assert not np.array_equal(first.adjacency, other.adjacency)
