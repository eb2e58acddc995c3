"""Damage: what goes dark, what a circuit is then asked for, and the trials that a sturdy one passes."""

from __future__ import annotations

import dataclasses
from types import SimpleNamespace

import numpy as np
import pytest

from grapheme.ca import DiffLogicCA, GridBatch, Trainer
from grapheme.ca.batch import Wounds, in_phase
from grapheme.ca.damage import squares
from grapheme.ca.layout import Layout
from grapheme.experiments.checkerboard import checkerboard
from grapheme.experiments.registry import experiment
from grapheme.experiments.trials import COUNTED, TOLERATED, ZONE, ZONED, Attack, DeadZone, Growth, Trials, weakness

from .circuits import CENTRE, PASS_A, TRUE, border_checkerboard, circuit


@pytest.fixture(scope="module")
def board():
    return experiment("checkerboard").with_recipe("reliable")


def runner(hard, backend="numba"):
    return lambda grids, steps, fire: hard.run(grids, steps, fire, backend)


def test_a_square_goes_dark_in_each_grid_wherever_it_touches_it():
    dark = squares(np.random.default_rng(0), 400, 3, 6, 8)
    assert dark.shape == (400, 6, 8)
    areas = dark.sum(axis=(1, 2))
    assert set(areas.tolist()) == {1, 2, 3, 4, 6, 9}  # what a 3x3 square leaves on a grid when it hangs over its edge
    assert dark.any(axis=0).all()
    rows, columns = dark.any(axis=2).sum(axis=1), dark.any(axis=1).sum(axis=1)
    assert np.array_equal(areas, rows * columns)


def test_of_a_picture_and_its_inverse_the_nearer_one_is_wanted():
    wanted = np.broadcast_to(checkerboard(8, 8), (2, 1, 8, 8))
    shown = wanted.copy()
    shown[1] = ~shown[1]
    shown[:, :, :2] = False
    assert np.array_equal(in_phase(wanted, shown), np.stack([wanted[0], ~wanted[1]]))


def wounds(dark, steps=4, pause=2, fire=None):
    start = np.random.default_rng(1).random((len(dark[0]), 6, 16, 16)) < 0.5
    rest = GridBatch(start, np.broadcast_to(checkerboard(16, 16), (len(start), 1, 16, 16)), 40)
    return Wounds(rest, np.array(dark), pause, fire, steps, fire)


def test_damaged_grids_are_dark_where_they_went_dark_last_and_right_far_from_it():
    """A pattern that grows from the upper left: what happens below and right of a cell does not matter to it."""
    dark = np.zeros((2, 1, 16, 16), bool)
    dark[0, 0, 8:12, 8:12] = dark[1, 0, 4:6, 10:14] = True
    batch = wounds(dark).batch(visible(border_checkerboard()), "numpy")
    assert (batch.steps, batch.fire) == (4, None)
    assert np.array_equal(batch.y[0, 0], checkerboard(16, 16))
    assert not batch.x[0, :, 4:6, 10:14].any()
    assert np.array_equal(batch.x[0, 0, :4], checkerboard(16, 16)[:4])
    assert np.array_equal(batch.x[0, 0, :, :8], checkerboard(16, 16)[:, :8])


def visible(hard):
    """The same circuit, of which people look at channel 0."""
    return dataclasses.replace(hard, keeps=Layout.every(hard.channels, (0,)))


def test_where_there_is_no_picture_there_is_nothing_to_mend():
    keeps = circuit(6, "zero", [(PASS_A, CENTRE * 6, CENTRE * 6)], [CENTRE * 6 + k for k in range(6)])
    assert wounds(np.zeros((1, 1, 16, 16), bool)).batch(visible(keeps), "numpy") is None


def test_a_right_circuit_has_no_errors_in_its_trials_but_those_of_damage(board):
    """Feeding from one corner, a circuit hands on the zeros of a dead zone to all that is right of it and below."""
    hard = border_checkerboard()
    task = dataclasses.replace(board, channels=6)
    fresh, zone, larger = Trials.of(task).each
    assert fresh.errors(runner(hard), 0) == 0
    assert larger.errors(runner(hard), 0) == 0
    assert zone.errors(runner(hard), 10**9) > 0


def test_a_circuit_that_shows_ones_is_wrong_in_every_other_cell(board):
    ones = circuit(8, "zero", [(TRUE, 0, 0)], [72] * 8)
    fresh, zone, larger = board.trials.each
    assert isinstance(fresh, Growth)
    assert fresh.errors(runner(ones), 10**9) == 256 * 16 * 16 // 2
    assert fresh.errors(runner(ones), 0) == 2 * 16 * 16 // 2, "a few grids show it"
    assert larger.errors(runner(ones), 10**9) == larger.grids.wanted.size // 2
    assert isinstance(zone, DeadZone)
    cells, samples = ZONED * ZONED, len(zone.grids.start)
    outside = samples * (cells - ZONE * ZONE) // 2 - int(TOLERATED * samples * cells)
    assert zone.errors(runner(ones), 10**9) == pytest.approx(outside + samples * cells // 2, abs=1)


def test_an_attack_counts_what_goes_dark_beyond_what_is_allowed():
    """A circuit that always shows the pattern again in one step is wrong only where squares just went dark."""
    task = experiment("checkerboard-async").with_recipe("reliable")
    attack = task.trials.each[-1]
    assert isinstance(attack, Attack)

    def pattern_again(grids, steps, fire):
        shown = np.zeros_like(grids)
        shown[:, 0] = checkerboard(*grids.shape[2:])
        return shown

    strict = dataclasses.replace(attack, allowed=0.0)
    wrong = strict.errors(pattern_again, 10**9)
    assert (
        0 < wrong < 0.1 * strict.grids.wanted.size * COUNTED
    )  # four squares of 100 cells, half of them right, of 4096
    assert attack.errors(pattern_again, 10**9) == 0
    assert attack.errors(lambda grids, steps, fire: np.zeros_like(grids), 10**9) == pytest.approx(
        (0.5 - attack.allowed) * attack.grids.wanted.size * COUNTED, rel=1e-3
    )


def test_the_first_trial_is_not_a_weakness():
    assert weakness((7, 2, 3)) == 5


def test_healing_is_a_step_on_the_damaged_grids_and_none_where_there_is_no_picture():
    trainer, alone = (
        Trainer(
            DiffLogicCA.build(6, 2, [8, 4, 2], [16, 8, 6], "zero", seed=0), 0.05, loss_channels=(0,), backend="numpy"
        )
        for _ in range(2)
    )
    before = trainer.parameters.copy()
    trainer.heal(wounds(np.zeros((1, 1, 16, 16), bool)))
    assert np.array_equal(trainer.parameters, before)
    random = np.random.default_rng(0).random((1, 6, 16, 16)) < 0.5
    batch = GridBatch(random, np.zeros((1, 1, 16, 16)), 2)
    trainer.heal(SimpleNamespace(batch=lambda circuit, backend: batch))
    alone = Trainer(
        DiffLogicCA.build(6, 2, [8, 4, 2], [16, 8, 6], "zero", seed=0), lr=0.05, loss_channels=(0,), backend="numpy"
    )
    alone.train_on(batch)
    assert not np.array_equal(trainer.parameters, before)
    assert np.array_equal(trainer.parameters, alone.parameters)
