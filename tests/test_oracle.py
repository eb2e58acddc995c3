"""The oracle against things that nobody here computed: finite differences, known automata, cells one by one."""

from __future__ import annotations

import numpy as np
import pytest
from grapheme_numpy.batch import hard_errors, loss_and_grad

from grapheme.ca import DiffLogicCA, HardCircuit
from grapheme.kernels.netlist import Netlist
from grapheme.kernels.trial import Circuits, Trial
from grapheme.testing import grid_problem
from grapheme.testing.problems import grid_problems, trial_problem

from .circuits import AND, TRUE, border_checkerboard, hand_made_life, plain_checkerboard, plain_life

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


@pytest.mark.parametrize("boundary", ["periodic", "zero"])
@pytest.mark.parametrize("asynchronous", [False, True], ids=["sync", "async"])
@pytest.mark.parametrize("shape", [(1, 1, 1, 1), (2, 2, 3, 3), (1, 3, 2, 5), (3, 1, 1, 4)])
def test_the_gradient_of_each_samples_loss_equals_finite_differences(boundary, asynchronous, shape):
    p = grid_problem(8, shape, gates=12, boundary=boundary, asynchronous=asynchronous)
    _, losses, parts = loss_and_grad(p.netlist, p.coefficients, p.grids, p.target, p.counted, p.steps, boundary, p.fire)
    assert losses.shape == (shape[0],)
    for s in range(shape[0]):
        fire = None if p.fire is None else p.fire[:, s : s + 1]

        def loss(coefficients, s=s, fire=fire):
            alone = p.grids[s : s + 1], p.target[s : s + 1]
            return loss_and_grad(p.netlist, coefficients, *alone, p.counted, p.steps, boundary, fire)[1][0]

        assert loss(p.coefficients) == losses[s]
        np.testing.assert_allclose(parts[s], numeric(loss, p.coefficients), rtol=1e-6, atol=1e-8)


def test_the_loss_of_one_cell_and_its_gradient_by_hand():
    """The cell x becomes 1/4 + x/2 + x*x: from 1/2 to 3/4, and then to 19/16; 1 is wanted."""
    netlist = Netlist.build(9, [4], [4], [0], [9], 1)
    coefficients, one = np.array([[0.25, 0.5, 0, 1]]), np.ones((1, 1, 1, 1))

    def of(steps, counted=1.0, fire=None):
        found = loss_and_grad(netlist, coefficients, one / 2, one, np.array([counted]), steps, "zero", fire)
        return [array.reshape(-1).tolist() for array in found]

    once = [[0.75], [1 / 16], [-0.5, -0.25, -0.25, -0.125]]
    assert of(1) == once
    # 2 * 3/16 = 3/8 comes back from the end; the second step passes on twice as much, 1/2 + 2 * 3/4 being 2
    late, early = np.array([1, 3 / 4, 3 / 4, 9 / 16]), np.array([1, 1 / 2, 1 / 2, 1 / 4])
    assert of(2) == [[19 / 16], [9 / 256], (3 / 8 * late + 3 / 4 * early).tolist()]
    assert of(2, fire=np.array([True, False]).reshape(2, 1, 1, 1)) == once
    assert of(1, counted=0.0) == [[0.75], [0], [0, 0, 0, 0]]


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


OPERATIONS = (
    lambda a, b: False, lambda a, b: a and b, lambda a, b: a and not b, lambda a, b: a,
    lambda a, b: b and not a, lambda a, b: b, lambda a, b: a != b, lambda a, b: a or b,
    lambda a, b: not (a or b), lambda a, b: a == b, lambda a, b: not b, lambda a, b: a or not b,
    lambda a, b: not a, lambda a, b: b or not a, lambda a, b: not (a and b), lambda a, b: True,
)  # fmt: skip
"""The operations in the order of the published work, as Python has them."""


def cell_by_cell(netlist, codes, grid, periodic):
    """A step of a grid (channel, height, width), one cell after another."""
    channels, height, width = grid.shape
    new = np.zeros_like(grid)
    for y, x in np.ndindex(height, width):
        nodes = []
        for v, u in [(y + dy, x + dx) for dy in (-1, 0, 1) for dx in (-1, 0, 1)]:
            inside = periodic or (0 <= v < height and 0 <= u < width)
            nodes += [inside and bool(grid[c, v % height, u % width]) for c in range(channels)]
        for a, b, param in zip(netlist.a, netlist.b, netlist.param, strict=True):
            nodes.append(OPERATIONS[codes[param]](nodes[a], nodes[b]))
        new[:, y, x] = [nodes[out] for out in netlist.outputs]
    return new


def counted_by_hand(netlist, codes, trial, most):
    """How many values a circuit gets wrong until it is stopped."""
    grids, wrong = trial.start.copy(), 0
    for t in range(trial.steps):
        for s, grid in enumerate(grids):
            new = cell_by_cell(netlist, codes, grid, trial.boundary == "periodic")
            grids[s] = new if trial.fire is None else np.where(trial.fire[t, s], new, grid)
            if trial.dark is not None:
                grids[s, :, trial.dark[t, s]] = False
        if t + 1 >= trial.first:
            wrong += sum(grids[i] != trial.wanted[i] for i in np.ndindex(grids.shape) if trial.counted[i])
        if wrong > most:
            break
    return wrong


SMALL = [(name, problem) for name, problem in grid_problems() if problem.bits.size < 60]


@pytest.mark.parametrize(("name", "problem"), SMALL, ids=[name for name, _ in SMALL])
def test_errors_of_any_circuit_are_those_counted_cell_by_cell(name, problem):
    circuits, trial, most = trial_problem(problem)
    limits = np.minimum(most, [10**9, 3, 10, 0, 10**9])
    expected = [
        counted_by_hand(*circuit, trial, limit) for circuit, limit in zip(circuits.netlists(), limits, strict=True)
    ]
    assert hard_errors(circuits, trial, limits).tolist() == expected


def test_errors_of_life_and_of_its_negative_are_those_of_counting_neighbours():
    """Three circuits that differ in their last gate: Life, Life with all cells inverted, and ones for good."""
    life, rng = hand_made_life(), np.random.default_rng(6)
    codes = np.stack([life.codes] * 3)
    assert codes[0, -1] == AND
    codes[:, -1] = AND, 14, TRUE
    circuits = Circuits(
        9, codes, *(np.stack([wires] * 3) for wires in (life.netlist.a, life.netlist.b, life.netlist.outputs))
    )
    start, wanted = rng.random((2, 1, 1, 6, 7)) < 0.5
    rules = (plain_life, lambda grid: ~plain_life(grid), np.ones_like)
    trial = Trial(start, "periodic", 5, None, None, wanted, np.ones_like(start), 2)
    for limit in (0, 20, 40, 60, 10**9):
        expected = []
        for rule in rules:
            grid, wrong = rule(start[0, 0]), 0
            for _ in range(4):
                grid = rule(grid)
                wrong += int((grid != wanted).sum()) if wrong <= limit else 0
            expected.append(wrong)
        assert hard_errors(circuits, trial, np.full(3, limit)).tolist() == expected


def test_a_checkerboard_grows_in_from_the_border_without_an_error():
    """After as many steps as there are rows and columns it is there, whatever it began with."""
    circuit, rng = border_checkerboard(), np.random.default_rng(7)
    start = rng.random((2, 6, 9, 10)) < 0.5
    wanted, counted = np.zeros_like(start), np.zeros_like(start)
    wanted[:, 0], counted[:, 0] = plain_checkerboard(9, 10), True
    trial = Trial(start, "zero", 24, None, None, wanted, counted, 22)
    assert hard_errors(Circuits.of(circuit.netlist, circuit.codes), trial, np.array([0])).tolist() == [0]
    opposite = Trial(start, "zero", 24, None, None, ~wanted, counted, 22)
    every = 3 * 2 * 9 * 10
    assert hard_errors(Circuits.of(circuit.netlist, circuit.codes), opposite, np.array([every])).tolist() == [every]


def test_what_runs_together_does_not_matter(monkeypatch):
    """Circuits share a workspace as far as it goes; one after another they get the same things wrong."""
    circuits, trial, most = trial_problem(grid_problem(4, (2, 2, 5, 7), asynchronous=True), circuits=7)
    together = hard_errors(circuits, trial, most)
    monkeypatch.setattr("grapheme_numpy.trial.WORKSPACE", 1)
    assert hard_errors(circuits, trial, most).tolist() == together.tolist()
    assert len(set(together.tolist())) > 3
