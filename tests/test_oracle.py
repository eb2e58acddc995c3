"""The oracle against things that nobody here computed: finite differences and known automata."""

from __future__ import annotations

import numpy as np
import pytest

from grapheme.ca import DiffLogicCA, HardCircuit
from grapheme.kernels.netlist import Netlist
from grapheme.testing import grid_problem

STEP = 1e-6


def total(problem, coefficients, grids, oracle):
    states = oracle.batch.rollout(problem.netlist, coefficients, grids, problem.steps, problem.boundary, problem.fire)
    return float((states[-len(problem.grad_states) :] * problem.grad_states).sum())


def numeric(function, at):
    grad = np.zeros_like(at)
    for index in np.ndindex(*at.shape):
        nudge = np.zeros_like(at)
        nudge[index] = STEP
        grad[index] = (function(at + nudge) - function(at - nudge)) / (2 * STEP)
    return grad


@pytest.mark.parametrize("boundary", ["periodic", "zero"])
@pytest.mark.parametrize("asynchronous", [False, True], ids=["sync", "async"])
@pytest.mark.parametrize("shape", [(1, 1, 1, 1), (2, 2, 3, 3), (1, 1, 2, 5), (2, 1, 1, 4)])
def test_gradients_equal_finite_differences(oracle, boundary, asynchronous, shape):
    problem = grid_problem(7, shape, gates=12, boundary=boundary, asynchronous=asynchronous)
    states = oracle.batch.rollout(
        problem.netlist, problem.coefficients, problem.grids, problem.steps, boundary, problem.fire
    )
    grad_grids, parts = oracle.batch.rollout_grad(
        problem.netlist, problem.coefficients, states, problem.grad_states, boundary, problem.fire
    )
    by_grids = numeric(lambda grids: total(problem, problem.coefficients, grids, oracle), problem.grids)
    by_coefficients = numeric(lambda c: total(problem, c, problem.grids, oracle), problem.coefficients)
    np.testing.assert_allclose(grad_grids, by_grids, rtol=1e-6, atol=1e-8)
    np.testing.assert_allclose(parts.sum(0), by_coefficients, rtol=1e-6, atol=1e-8)


def test_the_gradient_of_the_logits_equals_finite_differences():
    rng = np.random.default_rng(4)
    perceive = [
        (rng.normal(size=(2, 8, 16)), [0, 1, 2, 3, 5, 6, 7, 8], [4] * 8),
        (rng.normal(size=(2, 4, 16)), [0, 2, 4, 6], [1, 3, 5, 7]),
    ]
    update = [(rng.normal(size=(9, 16)), range(9), range(1, 10)), (rng.normal(size=(2, 16)), [0, 4], [1, 8])]
    x, y = rng.random((2, 2, 3, 4)), rng.random((2, 2, 3, 4))
    fire = rng.random((3, 2, 3, 4)) < 0.6

    def model(logits):
        layers = [(table, layer[1], layer[2]) for table, layer in zip(logits, [*perceive, *update], strict=True)]
        return DiffLogicCA.from_layers(2, "zero", layers[:2], [(t, list(a), list(b)) for t, a, b in layers[2:]])

    tables = [layer[0] for layer in [*perceive, *update]]
    result = model(tables).loss_and_grad(x, y, 3, [1], fire, "numpy")
    for index, grad in enumerate(result.grads["perceive"] + result.grads["update"]):
        for entry in rng.integers(0, grad.size, 6):
            place = np.unravel_index(entry, grad.shape)
            losses = []
            for sign in (1, -1):
                changed = [table.copy() for table in tables]
                changed[index][place] += sign * 1e-5
                losses.append(model(changed).loss_and_grad(x, y, 3, [1], fire, "numpy").loss)
            assert grad[place] == pytest.approx((losses[0] - losses[1]) / 2e-5, rel=1e-5, abs=1e-8)


def test_the_loss_is_a_plain_sum_of_squares_over_the_loss_channels():
    rng = np.random.default_rng(5)
    model = DiffLogicCA.build(2, 2, [8, 4, 2, 1], [6, 4, 2], "zero", seed=1, dtype="float64")
    x, y = rng.random((3, 2, 4, 4)), rng.random((3, 2, 4, 4))
    final = model.rollout(x, 2, backend="numpy")
    result = model.loss_and_grad(x, y, 2, [1], backend="numpy")
    np.testing.assert_allclose(result.loss_per_sample, ((final - y)[:, 1] ** 2).sum(axis=(1, 2)), rtol=1e-12)
    assert result.loss == pytest.approx(((final - y)[:, 1] ** 2).sum(), rel=1e-12)
    assert model.loss_and_grad(x, y[:, 1:], 2, [1], backend="numpy").loss == result.loss
    assert model.loss_and_grad(x, y, 2, backend="numpy").loss == pytest.approx(((final - y) ** 2).sum(), rel=1e-12)


def life_by_hand() -> HardCircuit:
    """Life as a circuit: a chain of half adders counts the neighbours, then the rule."""
    a, b, codes = [], [], []

    def gate(code, x, y):
        a.append(x), b.append(y), codes.append(code)
        return 9 + len(a) - 1

    and_, xor, or_ = 1, 6, 7
    ones, twos, fours = gate(0, 0, 0), gate(0, 0, 0), gate(0, 0, 0)
    for neighbour in (0, 1, 2, 3, 5, 6, 7, 8):
        carry = gate(and_, ones, neighbour)
        ones = gate(xor, ones, neighbour)
        carry2 = gate(and_, twos, carry)
        twos = gate(xor, twos, carry)
        fours = gate(or_, fours, carry2)
    two_or_three = gate(2, twos, fours)  # twos and not fours
    alive = gate(and_, two_or_three, gate(or_, ones, 4))
    netlist = Netlist.build(9, a, b, range(len(a)), [alive], len(a))
    return HardCircuit(netlist, np.array(codes, np.uint8), "periodic")


GLIDER = [(0, 1), (1, 2), (2, 0), (2, 1), (2, 2)]


@pytest.mark.parametrize("backend", ["numpy", "numba"])
def test_a_glider_moves_one_cell_down_and_right_in_four_steps(backend):
    board = np.zeros((1, 1, 9, 11), bool)
    for y, x in GLIDER:
        board[0, 0, (y + 7) % 9, (x + 9) % 11] = True  # across the corner, so that it has to wrap
    final = life_by_hand().run(board, 4, backend=backend)
    np.testing.assert_array_equal(final, np.roll(board, (1, 1), axis=(2, 3)))


@pytest.mark.parametrize("backend", ["numpy", "numba"])
def test_a_blinker_has_period_two_and_a_block_stays(backend):
    board = np.zeros((2, 1, 6, 6), bool)
    board[0, 0, 2, 1:4] = True
    board[1, 0, 2:4, 2:4] = True
    once = life_by_hand().run(board, 1, backend=backend)
    assert once[0, 0].nonzero()[0].tolist() == [1, 2, 3]
    np.testing.assert_array_equal(once[1], board[1])
    np.testing.assert_array_equal(life_by_hand().run(board, 2, backend=backend), board)


def test_zero_boundary_reads_zero_outside(oracle):
    """A rule that copies the upper neighbour pushes zeros in from above; a torus brings the last row back."""
    board = np.ones((1, 1, 3, 2), bool)
    for boundary, top in (("zero", False), ("periodic", True)):
        circuit = HardCircuit(Netlist.build(9, [1], [1], [0], [9], 1), np.array([3], np.uint8), boundary)
        moved = circuit.run(board, 1, backend=oracle)
        assert moved[0, 0, 0].tolist() == [top, top]
        assert moved[0, 0, 1:].all()


def test_cells_that_do_not_fire_keep_their_value(oracle):
    rng = np.random.default_rng(0)
    board = rng.random((1, 1, 4, 4)) < 0.5
    fire = rng.random((1, 1, 4, 4)) < 0.5
    stepped = life_by_hand().run(board, 1, backend=oracle)
    mixed = life_by_hand().run(board, 1, fire, oracle)
    np.testing.assert_array_equal(mixed[0, 0], np.where(fire[0, 0], stepped[0, 0], board[0, 0]))
