"""Proofs: of automata that are right from every start by construction, and of some that are not."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from grapheme.ca import prove as proof
from grapheme.ca.prove import prove
from grapheme.ca.simplify.equivalence import solver_installed
from grapheme.ca.three_valued import bounds, three_valued
from grapheme.kernels import gates

from .circuits import AND, CENTRE, NOT_A, OR, PASS_A, XOR, N, W, border_checkerboard, circuit, plain_checkerboard


def plain_three_values(code, a, b):
    """The value of an operation, None being unknown: known if it is the same whatever the unknown ones are."""
    choices = itertools.product(*[(False, True) if v is None else (v,) for v in (a, b)])
    results = {gates.value(code, x, y) for x, y in choices}
    return results.pop() if len(results) == 1 else None


@pytest.mark.parametrize("code", range(16))
def test_an_operation_on_three_values(code):
    """Cell 0 holds a, cell 1 holds b; the circuit combines a cell with its right neighbour."""
    tripled = three_valued(circuit(1, "zero", [(code, CENTRE, 5)], [9]))
    for a, b in itertools.product((False, True, None), repeat=2):
        start = np.zeros((1, 2, 1, 2), bool)
        for x, value in enumerate((a, b)):
            start[0, :, 0, x] = (value is True, value is not False)
        lower, upper = tripled.run(start, 1, backend="numpy")[0, :, 0, 0]
        wanted = plain_three_values(code, a, b)
        assert (bool(lower), bool(upper)) == (wanted is True, wanted is not False)


def target(height, width):
    """What the hand-made checkerboard shows: pairs of even rows XOR pairs of even columns, from the corner."""
    final = border_checkerboard().run(np.zeros((1, 6, height, width), bool), 4 * (height + width), backend="numpy")
    shown = final[:, 0]
    assert np.array_equal(shown[0], plain_checkerboard(height, width)) or np.array_equal(
        ~shown[0], plain_checkerboard(height, width)
    )
    return shown


@pytest.mark.parametrize("backend", ["numpy", "numba"])
def test_the_checkerboard_is_reached_from_every_start(backend):
    verdict = prove(border_checkerboard().simplify([0]), target(8, 9), 30, backend)
    assert verdict.proved
    assert verdict.unknown == 0
    assert verdict.how == "three-valued simulation"


def test_one_step_too_few_has_a_counter_example():
    """The corner's news needs as many steps as the longer side to cross the grid."""
    seen = border_checkerboard().simplify([0])
    verdict = prove(seen, target(8, 9), 4, "numpy")
    assert verdict.proved is False
    start = verdict.counter_example[None]
    assert start.shape == (1, 6, 8, 9)
    assert not np.array_equal(seen.run(start, 4, backend="numpy")[:, 0], target(8, 9))


def test_bounds_shrink_from_the_border():
    """A row that copies its left neighbour knows one more column after every step."""
    lower, upper = bounds(circuit(1, "zero", [(PASS_A, W, W)], [9]), (2, 6), 3, "numpy")
    assert (lower == upper).tolist() == [[[True, True, True, False, False, False]] * 2]


@pytest.mark.skipif(not solver_installed(), reason="python-sat is not installed")
def test_a_solver_decides_what_three_values_cannot():
    """Channels 1 and 2 both take over channel 0, and channel 0 becomes their XOR: 0 after two steps, though unknown."""
    gates = [(XOR, 3 * CENTRE + 1, 3 * CENTRE + 2)]
    same = circuit(3, "periodic", gates, [27, 3 * N, 3 * N]).simplify([0])
    verdict = prove(same, np.zeros((1, 3, 3), bool), 2, "numpy")
    assert verdict.how == "a SAT solver"
    assert verdict.proved
    assert verdict.unknown == 9


@pytest.mark.skipif(not solver_installed(), reason="python-sat is not installed")
def test_a_solver_finds_the_one_start_that_fails():
    """A cell turns 1 only where all nine cells are 1: no random start of 6x6 shows it, one start does."""
    chain = [(AND, 0, 1)] + [(AND, 7 + k, k) for k in range(2, 9)]
    every = circuit(1, "periodic", chain, [9 + len(chain) - 1])
    verdict = prove(every, np.zeros((1, 6, 6), bool), 2, "numpy")
    assert verdict.proved is False
    assert every.run(verdict.counter_example[None], 2, backend="numpy").any()


def test_without_a_solver_the_question_stays_open(monkeypatch):
    monkeypatch.setattr(proof, "solver_installed", lambda: False)
    chain = [(AND, 0, 1)] + [(AND, 7 + k, k) for k in range(2, 9)]
    verdict = prove(circuit(1, "periodic", chain, [16]), np.zeros((1, 6, 6), bool), 2, "numpy")
    assert verdict.proved is None
    assert verdict.unknown == 36


def test_a_constant_is_proved_at_once():
    verdict = prove(circuit(1, "periodic", [(NOT_A, 4, 4), (OR, 4, 9)], [10]), np.ones((1, 3, 3), bool), 1, "numpy")
    assert verdict.proved
