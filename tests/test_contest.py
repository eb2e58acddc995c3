"""Trials of many circuits at once, against automata run by counting, and contests made of them."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

import grapheme
from grapheme.ca.contest import Contest, Heat
from grapheme.errors import InvalidInputError
from grapheme.kernels.trial import Circuits, Trial

from .circuits import CENTRE, NOT_A, PASS_A, TRUE, bits, circuit, hand_made_life, plain_life

GLIDER = bits(["00000000", "00100000", "00010000", "01110000", "00000000", "00000000", "00000000", "00000000"])
"""It is the same one cell further down and right after four steps."""


@pytest.fixture(params=["numpy", "numba"])
def backend(request):
    return grapheme.get_backend(request.param, threads=2)


def alone(hard):
    return Circuits.of(hard.netlist, hard.codes)


def trial(start, wanted, steps, first=None, **other):
    """A trial of one channel on a torus, in which all cells fire and count unless something else is said."""
    shape = (1, 1, *start.shape)
    given = {"boundary": "periodic", "fire": None, "dark": None, "counted": np.ones(shape, bool)} | other
    return Trial(start=start.reshape(shape), steps=steps, wanted=wanted.reshape(shape), first=first or steps, **given)


def errors(backend, circuits, test, most=10**6):
    limits = np.full(len(circuits), most, np.int64)
    return backend.to_numpy(backend.batch.hard_errors(circuits, test, backend.asarray(limits))).tolist()


def test_a_glider_moves(backend):
    moved = np.roll(GLIDER, (1, 1), (0, 1))
    assert errors(backend, alone(hand_made_life()), trial(GLIDER, moved, 4)) == [0]
    assert errors(backend, alone(hand_made_life()), trial(GLIDER, GLIDER, 4)) == [int((moved != GLIDER).sum())]


def test_errors_are_those_of_an_automaton_run_by_counting_with_cells_that_wait_or_go_dark(backend):
    rng = np.random.default_rng(3)
    start, wanted, counted = rng.random((3, 9, 70)) < 0.5
    fire, dark = rng.random((6, 9, 70)) < 0.6, rng.random((6, 9, 70)) < 0.1
    grid, expected = start, 0
    for t in range(6):
        grid = np.where(fire[t], plain_life(grid), grid) & ~dark[t]
        expected += int(((grid != wanted) & counted).sum()) if t >= 3 else 0
    test = trial(start, wanted, 6, 4, fire=fire[:, None], dark=dark[:, None], counted=counted[None, None])
    assert errors(backend, alone(hand_made_life()), test) == [expected]


def test_a_circuit_is_stopped_after_the_step_in_which_it_has_too_many(backend):
    """All ones where zeros are wanted: 64 wrong after each step."""
    ones = alone(circuit(1, "periodic", [(TRUE, 0, 0)], [9]))
    test = trial(GLIDER, np.zeros_like(GLIDER), 10, 1)
    assert [errors(backend, ones, test, most) for most in (639, 640, 128, 127, 0)] == [[640], [640], [192], [128], [64]]


def test_circuits_that_share_a_trial_are_told_apart_in_order(backend):
    """A cell that keeps its value, one that is inverted, and one that is 1 for good, after one step from half ones."""
    gates = [(PASS_A, CENTRE, 0), (NOT_A, CENTRE, 0), (TRUE, 0, 0)]
    codes, a, b = np.array(gates).T[:, :, None]
    circuits = Circuits(9, codes.astype(np.uint8), a.astype(np.int32), b.astype(np.int32), np.full((3, 1), 9, np.int32))
    half = np.arange(64).reshape(8, 8) % 2 == 0
    assert errors(backend, circuits, trial(half, half, 1)) == [0, 64, 32]
    assert errors(backend, circuits.take(np.array([2, 0])), trial(half, half, 1)) == [32, 0]


def test_other_channels_are_followed_only_as_far_as_something_counted_depends_on_them(backend):
    """Channel 0 shows what channel 1 was, which shows what 2 was; 3 is noise. Ones come through after three steps."""
    centre = CENTRE * 4
    gates = [(PASS_A, centre + 1, 0), (PASS_A, centre + 2, 0), (TRUE, 0, 0), (NOT_A, centre + 3, 0)]
    hard = circuit(4, "zero", gates, [36, 37, 38, 39])
    start, counted = np.zeros((1, 4, 5, 5), bool), np.zeros((1, 4, 5, 5), bool)
    counted[:, 0] = True
    test = Trial(start, "zero", 3, None, None, np.ones_like(start), counted, 1)
    assert errors(backend, alone(hard), test) == [50]


def test_a_circuit_of_other_channels_is_refused_in_a_sentence(backend):
    two = circuit(2, "periodic", [(PASS_A, CENTRE * 2, 0)], [18, 18])
    with pytest.raises(InvalidInputError, match="of 2 channels cannot be tried on grids of 1"):
        Contest((Heat(trial(GLIDER, GLIDER, 1)),), backend).errors(two)


KEEP = circuit(1, "periodic", [(PASS_A, CENTRE, 0)], [9])
INVERT = circuit(1, "periodic", [(NOT_A, CENTRE, 0)], [9])
ONES = circuit(1, "periodic", [(TRUE, 0, 0)], [9])


@pytest.fixture
def contest(backend):
    """Ten ones are wanted to stay, then zeros after a step from zeros, five of which may be wrong; each weighs 2."""
    ten = np.arange(64).reshape(8, 8) < 10
    zeros = np.zeros_like(ten)
    return Contest((Heat(trial(ten, ten, 1)), Heat(trial(zeros, zeros, 1), allowed=5, weight=2.0)), backend)


def test_errors_are_those_beyond_what_is_allowed(contest):
    assert contest.errors(KEEP) == (0, 0)
    assert contest.errors(ONES) == (54, 59)
    assert contest.errors(INVERT) == (64, 59)
    assert contest.weigh((54, 59)) == 118.0


def test_no_worse_is_none_as_soon_as_there_are_more_in_any_heat(contest):
    assert contest.no_worse(ONES, (54, 59)) == (54, 59)
    assert contest.no_worse(ONES, (53, 59)) is None
    assert contest.no_worse(ONES, (54, 58)) is None
    once = dataclasses.replace(contest, heats=contest.heats[:1])
    assert once.no_worse(INVERT, (64,)) == (64,)


def test_burdens_add_up_from_heat_to_heat_and_a_race_is_left_by_those_behind(contest):
    gates = [KEEP, ONES, INVERT]
    circuits = Circuits(
        9,
        np.array([hard.codes for hard in gates]),
        np.stack([hard.netlist.a for hard in gates]),
        np.stack([hard.netlist.b for hard in gates]),
        np.stack([hard.netlist.outputs for hard in gates]),
    )
    assert contest.burdens(circuits).tolist() == [[0, 0], [54, 182], [64, 192]]
    leader = np.array([54.0, 182.0])  # two hundredths of 182 are 3.64: 64 is too far behind 54
    assert contest.race(circuits, leader, 182.0).tolist() == [[0, 0], [54, 182], [np.inf, np.inf]]
    assert contest.race(circuits, leader, 181.0).tolist() == [[0, 0], [54, np.inf], [np.inf, np.inf]]
