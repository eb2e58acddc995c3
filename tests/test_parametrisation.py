from __future__ import annotations

import numpy as np
import pytest

from grapheme.ca.parametrisation import MIXTURE, TRUTH_TABLES, Mixture, TruthTable
from grapheme.kernels import gates

BY_NAME = {
    "FALSE": lambda a, b: False, "A AND B": lambda a, b: a and b, "A AND NOT B": lambda a, b: a and not b,
    "A": lambda a, b: a, "NOT A AND B": lambda a, b: not a and b, "B": lambda a, b: b,
    "A XOR B": lambda a, b: a != b, "A OR B": lambda a, b: a or b, "A NOR B": lambda a, b: not (a or b),
    "A XNOR B": lambda a, b: a == b, "NOT B": lambda a, b: not b, "A OR NOT B": lambda a, b: a or not b,
    "NOT A": lambda a, b: not a, "NOT A OR B": lambda a, b: not a or b, "A NAND B": lambda a, b: not (a and b),
    "TRUE": lambda a, b: True,
}  # fmt: skip

PARAMETRISATIONS = [pytest.param(Mixture(), 16, id="mixture"), pytest.param(TruthTable(), 4, id="truth-table")]


def random_parameters(width, rows=40, seed=0):
    return np.random.default_rng(seed).normal(size=(rows, width)) * 2


def test_truth_tables_are_those_of_the_operations_names():
    for code, name in enumerate(gates.NAMES):
        expected = [bool(BY_NAME[name](a, b)) for a in (False, True) for b in (False, True)]
        assert TRUTH_TABLES[code].tolist() == expected, name


def test_a_truth_table_is_the_mixture_of_independent_outputs():
    log_odds = random_parameters(4)
    ones = 1 / (1 + np.exp(-log_odds))
    chances = np.prod(np.where(TRUTH_TABLES[None] == 1, ones[:, None], 1 - ones[:, None]), axis=-1)
    own, _ = TruthTable().linearise(log_odds, np)
    np.testing.assert_allclose(own, gates.coefficients(chances, np), atol=1e-12)
    logits = TruthTable().logits(log_odds, np)
    np.testing.assert_allclose(gates.softmax(logits, np), chances, atol=1e-12)


@pytest.mark.parametrize(("form", "width"), PARAMETRISATIONS)
def test_pull_backs_equal_finite_differences(form, width):
    parameters, direction = random_parameters(width), random_parameters(4, seed=1)
    _, pull_back = form.linearise(parameters, np)
    grad, step = pull_back(direction), 1e-6
    for k in range(width):
        moved = np.zeros(width)
        moved[k] = step
        above, below = (form.linearise(parameters + sign * moved, np)[0] for sign in (1, -1))
        np.testing.assert_allclose(grad[:, k], ((above - below) * direction).sum(1) / (2 * step), atol=1e-8)


@pytest.mark.parametrize(("form", "width"), PARAMETRISATIONS)
def test_all_gates_rounded_are_the_hard_gates_with_the_soft_gradient(form, width):
    parameters = random_parameters(width)
    rounded = np.ones((len(parameters), 1), bool)
    coefficients, pull_back = form.linearise(parameters, np, rounded)
    codes = gates.operation_codes(form.logits(parameters, np), np)
    assert coefficients.tolist() == gates.BILINEAR[codes].tolist()
    soft = form.linearise(parameters, np)[1]
    direction = random_parameters(4, seed=1)
    assert np.array_equal(pull_back(direction), soft(direction))


@pytest.mark.parametrize(("form", "width"), PARAMETRISATIONS)
def test_gates_that_are_not_rounded_stay_soft(form, width):
    parameters = random_parameters(width)
    rounded = np.zeros((len(parameters), 1), bool)
    rounded[3] = True
    some, _ = form.linearise(parameters, np, rounded)
    none, _ = form.linearise(parameters, np)
    changed = (some != none).any(axis=1)
    assert changed[3]
    assert changed.sum() == 1


def test_training_starts_from_the_circuit_there_is():
    """Uncapped, the log-odds of any mixture make the same gates; the published start is capped at the limit."""
    logits = random_parameters(16)
    same, _ = TruthTable(limit=1e9).linearise(TruthTable(limit=1e9).start(logits, np), np)
    np.testing.assert_allclose(same, MIXTURE.linearise(logits, np)[0], atol=1e-12)
    published = np.zeros((1, 16))
    published[0, gates.PASS_A] = 10
    assert TruthTable(limit=4.0).start(published, np).tolist() == [[-4, -4, 4, 4]]
    assert MIXTURE.start(logits, np) is logits
