"""What circuits are put to while they are trained, told by circuits whose errors can be said beforehand."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from grapheme.experiments.registry import experiment

from grapheme.ca.contest import Contest
from grapheme.experiments.judge import SAMPLES
from grapheme.experiments.trials import FEW, LARGER, LONG, SHORT, SIDE, SQUARE, ZONE, Trials, squares

from .circuits import PASS_A, TRUE, W, border_checkerboard, circuit, plain_checkerboard

ONES = circuit(8, "zero", [(TRUE, 0, 0)], [72] * 8)
CELLS = SIDE * SIDE
ZONED = (ZONE.stop - ZONE.start) ** 2


@pytest.fixture(scope="module", params=["checkerboard", "checkerboard-async"])
def task(request):
    return experiment(request.param).with_recipe("reliable")


def errors(heats, hard, backend):
    return Contest(tuple(dataclasses.replace(heat, allowed=0) for heat in heats), backend).errors(hard)


def test_squares_are_whole_and_everywhere():
    dark = squares(np.random.default_rng(0), 500, 12, 5)
    assert dark.shape == (500, 12, 12)
    rows, columns = dark.any(axis=2).sum(axis=1), dark.any(axis=1).sum(axis=1)
    assert set(rows.tolist()) == set(columns.tolist()) == {5}
    assert set(dark.sum(axis=(1, 2)).tolist()) == {25}
    assert dark.any(axis=0).all()


def test_a_right_circuit_has_no_errors_but_those_of_damage(numba):
    """Feeding from one corner, it hands on the zeros of a dead zone to all that is right of it and below."""
    task = dataclasses.replace(experiment("checkerboard").with_recipe("reliable"), channels=6)
    hard, trials = border_checkerboard(), Trials(task)
    kept, healed = trials.zoned()
    assert errors([trials.validation(), *trials.fresh(), trials.larger()], hard, numba) == (0, 0, 0, 0)
    assert errors([kept], hard, numba)[0] > kept.allowed == int(0.01 * (CELLS - ZONED))
    assert errors([healed], hard, numba)[0] > 0, "42 cells below and right of the zone, and 40 steps"
    assert not task.judge.swapped(hard, numba)


def test_a_circuit_that_shows_ones_is_wrong_in_every_other_cell(task, numba):
    """Half of the cells of a large checkerboard are off, within the zone as well; on 14x14 there are two more of them.

    Cells that are dark for good do not count.
    """
    trials, off = Trials(task), int((~plain_checkerboard(task.height, task.width)).sum())
    starts = len(task.validation(task))
    assert errors([trials.validation(), trials.larger()], ONES, numba) == (starts * off, CELLS // 2)
    few, rest = trials.fresh()
    times = 1 if task.fire_probability is None else 6
    found = errors([few, rest], ONES, numba)
    assert found == (FEW * off * times, (starts - FEW) * off * times), "from step 45 on, if cells fire at random"
    kept, healed = trials.zoned()
    assert errors([kept, healed], ONES, numba) == ((CELLS - ZONED) // 2, CELLS // 2)


def test_under_siege_dark_squares_are_what_is_wrong_with_a_circuit_that_keeps_all_else(numba):
    """All cells fire. The left neighbour's zeros come in step by step, so nothing is on for long: half is wrong."""
    task = dataclasses.replace(experiment("checkerboard-async").with_recipe("reliable"), fire_probability=None)
    zeros = circuit(8, "zero", [(PASS_A, W * 8, 0)], [72] * 8)
    (siege,) = Trials(task).besieged(LONG)
    assert siege.trial.times == 3000
    assert errors([siege], zeros, numba) == (2 * 3000 * CELLS // 2,)
    assert siege.allowed == int(0.13 * 2 * 3000 * CELLS)
    contest = Contest((siege, siege), numba)
    assert contest.weigh(contest.errors(zeros)) == pytest.approx((0.5 - 0.13) * CELLS), "in cells of a grid"
    short = Trials(task).besieged(SHORT)
    assert len(short) == 4
    assert sum(heat.weight * heat.trial.times for heat in short) == pytest.approx(1)
    assert {int(each.sum()) for each in short[0].trial.dark} == {SQUARE * SQUARE}


def test_only_a_board_whose_cells_step_together_is_tried_with_cells_that_fire_at_random(numba):
    sync, free = (experiment(name).with_recipe("reliable") for name in ("checkerboard", "checkerboard-async"))
    assert Trials(free).untimed() == ()
    (heat,) = Trials(dataclasses.replace(sync, channels=6)).untimed()
    assert heat.trial.fire.mean() == pytest.approx(0.6, abs=0.01)
    assert errors([heat], border_checkerboard(), numba) == (0,), "feeding from one corner, it needs no clock"


def test_gates_beyond_those_that_are_enough_are_a_weakness(numba):
    few = dataclasses.replace(experiment("checkerboard").with_recipe("reliable"), channels=6, gates=6)
    fewer = dataclasses.replace(few, gates=2)
    hard = border_checkerboard()
    assert (
        fewer.judge.score(hard, numba).weakness - few.judge.score(hard, numba).weakness == hard.netlist.gates - 2 == 4
    )


def test_the_phase_of_larger_grids_is_the_one_that_a_circuit_shows(numba):
    """The border checkerboard with its picture inverted."""
    task = dataclasses.replace(experiment("checkerboard").with_recipe("reliable"), channels=6)
    hard = border_checkerboard()
    codes = hard.codes.copy()
    codes[4] = 15 - codes[4]  # XOR, which makes channel 0, becomes XNOR
    inverse = dataclasses.replace(hard, codes=codes)
    assert task.judge.swapped(inverse, numba)
    assert errors([Trials(task, swapped=True).larger(), Trials(task).larger()], inverse, numba) == (0, CELLS)
    validation = Trials(task, swapped=True).validation().trial
    assert np.array_equal(validation.wanted[0, 0], plain_checkerboard(16, 16)), (
        "on grids of its own size there is one phase"
    )


def test_trials_are_others_when_drawn_again_but_for_those_that_say_whether_a_task_is_solved(task):
    drawn = [Trials(task, draw) for draw in (1, 2, 2)]
    for heats in zip(*(trials.evolving() for trials in drawn), strict=True):
        assert len({heat.trial.start.tobytes() for heat in heats}) == 2
    assert len({trials.validation().trial.start.tobytes() for trials in drawn}) == 1


def test_a_score_weighs_what_is_wrong_beside_fresh_starts(task, numba):
    score = task.judge.score(ONES, numba)
    assert score.errors == len(task.validation(task)) * (~plain_checkerboard(task.height, task.width)).sum()
    outside, large, off = SAMPLES * (CELLS - ZONED), SAMPLES * CELLS / 2, (~plain_checkerboard(14, 14)).sum()
    own = FEW * (task.height * task.width / 2 if task.withstands is None else off)
    weakness = LARGER * (large + large + own) + outside / 2 - int(0.01 * outside)
    if task.withstands is None:
        assert score.weakness == weakness + large, "four more grids, in which cells fire at random"
    else:
        assert weakness < score.weakness < weakness + CELLS / 2
