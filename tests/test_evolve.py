"""Evolution: changes at random that do no harm, judged by tests that are drawn anew."""

from __future__ import annotations

import numpy as np
import pytest

from grapheme.ca import DiffLogicCA
from grapheme.ca.evolve import evolved
from grapheme.experiments.registry import experiment
from grapheme.experiments.trials import Judge, Trials

CHANNELS = 3


@pytest.fixture
def model():
    built = DiffLogicCA.build(CHANNELS, 2, (8, 4, 2), (16, 12, 6, CHANNELS), "periodic", seed=1, xors=0.0)
    built.visible = (0,)
    return built


class Inverse:
    """Asks for a step that inverts the visible channel, on random grids; the second test counts half of the cells."""

    def __init__(self, draw):
        self.grids = np.random.default_rng(draw).random((2, CHANNELS, 6, 6)) < 0.5

    def errors(self, circuit):
        wrong = circuit.run(self.grids, 1, backend="numpy")[:, 0] == self.grids[:, 0]
        return int(wrong.sum()), int(wrong[:, :3].sum())

    def no_worse(self, circuit, most):
        found = self.errors(circuit)
        return found if all(f <= m for f, m in zip(found, most, strict=True)) else None


def rng():
    return np.random.default_rng(0)


def test_a_circuit_comes_to_do_what_is_asked_of_it(model):
    assert sum(Inverse(99).errors(model.harden())) > 0
    grown = evolved(model, Inverse(0), 400, rng())
    assert Inverse(99).errors(grown.harden()) == (0, 0)
    assert grown.visible == (0,)
    for old, new in zip(model.perceive, grown.perceive, strict=True):
        assert np.array_equal(old, new)


def test_no_test_is_done_worse_and_the_same_changes_are_made_every_time(model):
    judge = Inverse(5)
    first, second = (evolved(model, judge, 30, rng()) for _ in range(2))
    before, after = judge.errors(model.harden()), judge.errors(first.harden())
    assert all(a <= b for a, b in zip(after, before, strict=True))
    for name, tensor in first.tensors().items():
        assert np.array_equal(tensor, second.tensors()[name])


def test_nothing_is_changed_where_no_error_is_found(model):
    class Content(Inverse):
        def errors(self, circuit):
            return 0, 0

    same = evolved(model, Content(0), 50, rng())
    assert np.array_equal(same.harden().codes, model.harden().codes)
    assert all(np.array_equal(old, new) for old, new in zip(model.update, same.update, strict=True))


def test_all_trials_but_fresh_starts_are_other_ones_when_drawn_again(numba):
    task = experiment("checkerboard-async").with_recipe("reliable")
    trials = [task.trials, *(Trials.of(task, draw) for draw in (1, 2, 2))]
    for place, different in enumerate((1, 3, 3, 3)):
        grids = [found.each[place].grids for found in trials]
        assert len({(grid.start.tobytes(), grid.fire.tobytes()) for grid in grids}) == different
    assert len({found.each[-1].corners.tobytes() for found in trials}) == 3
    circuit = task.trainer(0, 0, "float32", numba).model.harden()
    found = Judge(trials[1], numba).errors(circuit)
    assert found == trials[1].errors(circuit, numba)
    assert Judge(trials[1], numba).no_worse(circuit, found) == found


@pytest.mark.parametrize(
    ("recipe", "attempt", "expected"),
    [
        ("paper", 2, {(14, 14, 50, 50)}),
        ("reliable", 1, {(14, 14, 50, 50)}),
        ("reliable", 2, {(14, 14, 50, 50), (16, 16, 58, 58)}),  # 50 steps for 14 cells are 57.1 for 16
    ],
)
def test_an_asynchronous_board_is_learnt_on_grids_of_two_sizes_after_two_attempts(recipe, attempt, expected):
    task = experiment("checkerboard-async").with_recipe(recipe)
    batches = [task.batch(0, attempt, epoch) for epoch in range(40)]
    assert {(*batch.x.shape[2:], batch.steps, len(batch.fire)) for batch in batches} == expected
