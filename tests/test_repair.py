"""Repair: a circuit that is nearly right becomes right, by other operations and other wires."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from grapheme.experiments.registry import experiment
from hypothesis import given
from hypothesis import strategies as st

from grapheme.ca import DiffLogicCA
from grapheme.ca.repair import Goal, Repair, differing, nearest, repaired
from grapheme.ca.signals import Signals
from grapheme.kernels import gates
from grapheme.models.model import Score

CHANNELS, STEPS = 6, 4


def automaton(seed, boundary="periodic"):
    """Return an automaton whose gates are all drawn at random."""
    model = DiffLogicCA.build(CHANNELS, 2, (8, 4, 2), (30, 24, 12, CHANNELS), boundary, seed=seed)
    codes = np.random.default_rng(seed).integers(0, len(gates.NAMES), model.netlist.parameters)
    model = model.with_codes(codes)
    model.visible = (0, 1)
    return model


def goal_of(model, steps=STEPS):
    """Ask for what a model shows."""
    start = np.random.default_rng(0).random((3, CHANNELS, 7, 9)) < 0.5
    return Goal(start, model.harden().run(start, steps, backend="numpy")[:, :2], steps)


def broken(model, rows):
    """Return a model with other operations in some rows."""
    codes = model.harden().codes.copy()
    codes[rows] = 15 - codes[rows]
    return model.with_codes(codes)


def all_operations(a, b):
    """Return what each operation makes of two signals (16, cells)."""
    return np.array([[gates.value(code, p, q) for p, q in zip(a, b, strict=True)] for code in range(16)])


@given(st.integers(0, 10**6), st.integers(1, 40))
def test_counts_are_those_of_the_best_of_all_sixteen_operations(seed, cells):
    rng = np.random.default_rng(seed)
    signals, wanted = rng.integers(0, 2, (4, cells)).astype(np.uint8), rng.random(cells) < 0.5
    found = differing(signals, wanted)
    for i in range(4):
        for j in range(4):
            wrong = np.count_nonzero(all_operations(signals[i], signals[j]) != wanted, axis=1)
            assert found[i, j] == wrong.min()
            assert wrong[nearest(signals[i], signals[j], wanted, rng)] == wrong.min()


@pytest.mark.parametrize("boundary", ["periodic", "zero"])
def test_signals_are_what_a_step_makes(boundary, numba):
    model = automaton(1, boundary)
    circuit = model.harden()
    grids = np.random.default_rng(2).random((2, CHANNELS, 5, 7)) < 0.5
    layers = [np.array([gate]) for gate in range(circuit.netlist.gates)]
    signals = Signals.of(circuit, grids, layers)
    after = circuit.run(grids, 1, backend=numba).swapaxes(0, 1).reshape(CHANNELS, -1)
    assert np.array_equal(signals[circuit.netlist.outputs], after)


@pytest.mark.parametrize("seed", range(4))
def test_what_was_broken_is_mended(seed, numba):
    whole = automaton(seed)
    goal, last = goal_of(whole, steps=1), whole.netlist.parameters - CHANNELS
    harmed = broken(whole, [last, last + 1])  # an output that is inverted is wrong in every cell
    before, wrong = goal.seen(harmed.harden(), numba)
    assert np.array_equal(before, goal.start)
    assert wrong == goal.wanted.size
    mended, left = repaired(harmed, goal, 100, numba)
    assert left == 0
    assert np.array_equal(mended.harden().run(goal.start, 1, backend="numpy")[:, :2], goal.wanted)
    assert mended.visible == harmed.visible


def same(old, new):
    """Say whether all layers have the same wires."""
    return all(
        np.array_equal(before, after)
        for layer, other in zip(old, new, strict=True)
        for before, after in zip(layer, other, strict=True)
    )


def test_wires_move_where_operations_alone_cannot_help(numba):
    """Asked for is a channel that the visible one does not read: no operations of its gates make it."""
    model = DiffLogicCA.build(4, 1, (8, 4, 2, 1), (4, 4), "periodic", seed=0)
    model.visible = (0,)
    (lower_a, lower_b), (upper_a, upper_b) = model.update
    read = {int(side[gate]) for side in (lower_a, lower_b) for gate in (upper_a[0], upper_b[0])}
    away = next(channel for channel in range(4) if channel not in read)
    start = np.random.default_rng(5).random((1, 4, 8, 8)) < 0.5
    mended, left = repaired(model, Goal(start, start[:, away : away + 1], 1), 200, numba)
    assert left == 0
    assert np.array_equal(mended.harden().run(start, 1, backend="numpy")[:, 0], start[:, away])
    assert not same(model.update, mended.update)
    assert same(model.perceive, mended.perceive)


def test_repair_makes_nothing_worse_and_is_the_same_every_time(numba, oracle):
    harmed = broken(automaton(7), np.arange(30, 60))
    goal = goal_of(automaton(7))
    _, wrong = goal.seen(harmed.harden(), oracle)
    some, left = repaired(harmed, goal, 25, numba)
    again, as_many = repaired(harmed, goal, 25, oracle)
    assert left == as_many <= wrong
    assert goal.seen(some.harden(), oracle)[1] == left
    for name, tensor in some.tensors().items():
        assert np.array_equal(tensor, again.tensors()[name])
    assert repaired(harmed, goal, 100, numba)[1] <= left


def test_no_tries_leave_a_circuit_as_it_was(numba):
    model = automaton(3)
    same, left = repaired(model, goal_of(automaton(4)), 0, numba)
    assert left == goal_of(automaton(4)).seen(model.harden(), numba)[1]
    assert np.array_equal(same.harden().codes, model.harden().codes)


def two_cells(grids):
    """Return the middle cell and the one to its right."""
    target = np.zeros((len(grids), 1, 8, 8), bool)
    target[:, 0, 4, 4:6] = True
    return target


def test_an_experiment_mends_what_is_nearly_right_and_leaves_the_rest_alone(numba):
    task = experiment("lizard").with_recipe("reliable")
    small = dataclasses.replace(
        task, height=8, width=8, steps=2, channels=8, update=(32, 16, 8), target=two_cells
    )  # fmt: skip

    def with_repair(most):
        return dataclasses.replace(
            small, recipe=dataclasses.replace(task.recipe, repair=Repair(every=1, most=most, tries=400))
        )

    trainer = small.trainer(0, 0, "float32", numba)
    score = small.score(trainer.model, numba)
    assert score.errors > 0
    mended, better = with_repair(1.0).repaired(trainer.model, score, numba)
    assert better.errors == 0
    assert small.score(mended, numba) == better
    too_many = (score.errors - 1) / 64
    assert with_repair(too_many).repaired(trainer.model, score, numba) == (trainer.model, score)
    assert with_repair(1.0).repaired(trainer.model, Score(0), numba) == (trainer.model, Score(0))
