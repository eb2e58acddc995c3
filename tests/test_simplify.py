"""Simplification: by hand-computed cases, and behaviour kept on circuits that hypothesis chooses."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from grapheme.ca import HardCircuit
from grapheme.ca.simplify import CHEAP, SEARCHING, checked, constants, dead, inverters, sharing, windows, wires
from grapheme.ca.simplify.equivalence import difference, solver_installed
from grapheme.ca.simplify.logic import Logic
from grapheme.errors import InvalidInputError
from grapheme.kernels import gates
from grapheme.testing import random_netlist

from .circuits import AND, NOR, NOT_A, OR, PASS_A, TRUE, XOR, border_checkerboard, circuit, hand_made_life, plain_life


def test_values_and_codes_follow_the_published_order():
    assert [gates.value(1, a, b) for a, b in itertools.product((False, True), repeat=2)] == [False, False, False, True]
    assert gates.code_of(lambda a, b: a != b) == 6
    assert gates.code_of(lambda a, b: not a or b) == 13
    assert all(gates.code_of(lambda a, b, c=code: gates.value(c, a, b)) == code for code in range(16))


def test_constants_are_folded():
    logic = Logic(2, [(TRUE, 0, 0), (AND, 0, 2), (XOR, 1, 2), (XOR, 1, 1)], [3, 4, 5])
    assert constants.fold(logic).gates == [(TRUE, 0, 0), (PASS_A, 0, 0), (NOT_A, 1, 1), (0, 0, 0)]


def test_wires_are_bypassed():
    logic = Logic(2, [(PASS_A, 1, 0), (5, 0, 2), (AND, 3, 0)], [4, 3])
    assert wires.bypass(logic).gates[2] == (AND, 1, 0)
    assert wires.bypass(logic).outputs == [4, 1]


def test_inverters_are_pushed_into_readers_and_sources():
    logic = Logic(2, [(NOT_A, 0, 0), (AND, 2, 1), (NOT_A, 3, 3)], [4])
    pushed = dead.remove(inverters.push(logic))
    assert pushed.gates == [(gates.code_of(lambda a, b: not (not a and b)), 0, 1)]
    assert inverters.push(Logic(1, [(NOT_A, 0, 0)], [1])).gates == [
        (NOT_A, 0, 0)
    ]  # an input has no operation to change


def test_equal_and_opposite_gates_are_shared():
    logic = Logic(2, [(OR, 0, 1), (OR, 1, 0), (NOR, 0, 1)], [2, 3, 4])
    assert sharing.share(logic).gates == [(OR, 0, 1), (PASS_A, 2, 2), (NOT_A, 2, 2)]


def test_gates_that_compute_the_same_are_merged():
    a_xor_b_twice = [(XOR, 0, 1), (OR, 0, 1), (14, 0, 1), (AND, 3, 4), (AND, 0, 4)]
    merged = sharing.merge(Logic(2, a_xor_b_twice, [2, 5, 6]))
    assert merged.gates[3] == (PASS_A, 2, 2)
    assert merged.gates[4] == (AND, 0, 4)


def test_dead_gates_go_and_the_rest_is_in_order():
    logic = Logic(2, [(AND, 0, 1), (OR, 4, 0), (XOR, 0, 1)], [3])
    assert dead.remove(logic) == Logic(2, [(XOR, 0, 1), (OR, 2, 0)], [3])


def test_a_pass_that_changes_the_circuit_is_caught():
    logic = Logic(2, [(AND, 0, 1)], [2])
    with pytest.raises(AssertionError, match="changed what the circuit computes"):
        checked(lambda _: Logic(2, [(OR, 0, 1)], [2]), logic)


@pytest.mark.parametrize("inputs", [9, 18, 27])
def test_a_difference_at_a_single_input_is_found(inputs):
    """Up to 20 inputs by trying all; beyond by the solver, since no random input hits it."""
    if inputs > 20 and not solver_installed():
        pytest.skip("python-sat is not installed")
    chain = [(AND, 0, 1)] + [(AND, node, inputs + node - 2) for node in range(2, inputs)]
    before = Logic(inputs, chain, [inputs + len(chain) - 1])
    after = Logic(inputs, [(0, 0, 0)], [inputs])
    found = difference(before, after)
    assert found is not None
    assert found.all()
    assert difference(before, before) is None


@given(
    seed=st.integers(0, 2**32),
    channels=st.integers(1, 4),
    count=st.integers(1, 80),
    boundary=st.sampled_from(["periodic", "zero"]),
)
def test_simplified_circuits_show_the_same(seed, channels, count, boundary):
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, 16, count).astype(np.uint8)
    whole = HardCircuit(random_netlist(rng, channels, count, count), codes, boundary)
    visible = sorted(rng.choice(channels, rng.integers(1, channels + 1), replace=False).tolist())
    small = whole.simplify(visible)
    x, fire = rng.random((2, channels, 5, 7)) < 0.5, rng.random((4, 2, 5, 7)) < 0.6
    for mask in (None, fire):
        expected = whole.run(x, 4, mask, "numpy")
        actual = small.run(x, 4, mask, "numpy")
        kept = list(small.layout.kept)
        assert np.array_equal(actual[:, kept], expected[:, kept])
        assert set(visible) <= set(kept)
        assert np.array_equal(small.run(x[:, kept], 4, mask, "numpy"), expected[:, kept])
    assert small.netlist.gates <= whole.netlist.gates + channels


@pytest.mark.parametrize("change", [*CHEAP, *SEARCHING], ids=lambda change: change.__name__)
def test_each_pass_keeps_the_truth_table(change):
    """Over all 512 inputs of circuits whose tables are computed gate by gate, bit by bit."""
    rng = np.random.default_rng(5)
    for _ in range(10):
        netlist = random_netlist(rng, 1, 40, 40)
        logic = dead.remove(Logic.of(netlist, rng.integers(0, 16, 40).astype(np.uint8)))
        assert table(change(logic)) == table(logic)


def test_a_gate_of_constants_among_many_inputs_keeps_its_value():
    """Sixteen inputs are too many for a truth table of all, so each window is looked at alone; one reads none."""
    parity = [(XOR, 0, 1), *((XOR, node, node - 14) for node in range(16, 30))]
    logic = Logic(16, [*parity, (gates.FALSE, 0, 0), (NOR, 31, 31), (AND, 31, 32)], [30, 33, 32])
    rng = np.random.default_rng(0)
    words = rng.integers(0, 2**64, (16, 4), np.uint64)
    smaller = windows.rewrite(logic)
    of_all, zeros, ones = smaller.evaluate(words)[smaller.outputs]
    assert np.array_equal(of_all, np.bitwise_xor.reduce(words))
    assert not zeros.any()
    assert not (~ones).any()


def table(logic):
    rows = []
    for assignment in itertools.product((False, True), repeat=logic.inputs):
        nodes = list(assignment)
        for code, a, b in logic.gates:
            nodes.append(gates.value(code, nodes[a], nodes[b]))
        rows.append([nodes[node] for node in logic.outputs])
    return rows


def test_windows_shrink_a_circuit_too_wide_for_tables():
    """Thirty inputs, of which each pair is XORed the long way."""
    chain = []
    for k in range(0, 30, 2):
        first = 30 + len(chain)
        chain += [(OR, k, k + 1), (14, k, k + 1), (AND, first, first + 1)]
    logic = Logic(30, chain, [32 + 3 * k for k in range(15)])
    smaller = windows.rewrite(logic)
    assert sorted(gate[0] for gate in smaller.gates) == [XOR] * 15


def test_life_by_adders_stays_life_with_fewer_gates():
    whole = hand_made_life()
    small = whole.simplify()
    assert small.netlist.gates < whole.netlist.gates
    grid = np.random.default_rng(0).random((12, 17)) < 0.4
    assert np.array_equal(small.run(grid[None, None], 1)[0, 0], plain_life(grid))


def test_channels_that_never_reach_a_visible_one_go():
    whole = border_checkerboard()
    small = whole.simplify([0])
    assert small.layout.kept == (0, 1, 2, 3, 4)
    assert small.netlist.gates <= 5
    assert whole.simplify([1]).layout.kept == (1,)
    assert whole.simplify().layout.kept == (0, 1, 2, 3, 4, 5)
    assert whole.simplify([0]).simplify([3]).layout.kept == (1, 3)


def test_bad_channels_are_refused():
    with pytest.raises(InvalidInputError, match="channels 0 to 5; 6 is not one"):
        border_checkerboard().simplify([6])
    with pytest.raises(InvalidInputError, match="at least one"):
        border_checkerboard().simplify([])
    with pytest.raises(InvalidInputError, match="some of those kept"):
        border_checkerboard().simplify([1]).simplify([0])


def test_a_constant_circuit_has_one_gate():
    assert circuit(1, "zero", [(XOR, 4, 4)], [9]).simplify().netlist.gates == 1
