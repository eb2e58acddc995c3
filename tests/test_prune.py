"""Pruning leaves what a task needs and takes out the rest."""

from __future__ import annotations

import numpy as np
import pytest
from grapheme.experiments.registry import experiment

from grapheme.ca import DiffLogicCA
from grapheme.ca.hard import HardCircuit
from grapheme.ca.layout import Layout
from grapheme.ca.prune import live, pruned
from grapheme.experiments.automaton import random_bits
from grapheme.kernels import gates
from grapheme.kernels.netlist import Netlist
from grapheme.models.model import Score

AND, OR = 1, 7
LEFT, CENTRE, RIGHT = 3, 4, 5


def circuit(*wired):
    """Return an automaton of one channel, each gate (code, a, b) with a parameter row of its own; the last leaves."""
    codes, a, b = zip(*wired, strict=True)
    netlist = Netlist.build(9, a, b, range(len(a)), [8 + len(a)], len(a))
    return HardCircuit(netlist, np.array(codes, np.uint8), "periodic", Layout.every(1))


def rule_90(bits):
    """Each cell becomes the sum, modulo two, of its neighbours left and right (Wolfram 1983)."""
    return np.roll(bits, 1, axis=-1) ^ np.roll(bits, -1, axis=-1)


def judge(starts, backend="numpy"):
    """Return a judge by the bits in which a circuit's step differs from rule 90."""

    def no_worse(circuit, most):
        errors = wrong(circuit, starts, backend)
        return None if errors > most else errors

    return no_worse


def wrong(circuit, starts, backend="numpy"):
    """Count the bits in which a circuit's step differs from rule 90."""
    return (int((circuit.run(starts, 1, backend=backend) != rule_90(starts)).sum()),)


STARTS = np.random.default_rng(0).integers(0, 2, (8, 1, 5, 7)).astype(bool)
NEEDED = (gates.XOR, LEFT, RIGHT)


@pytest.mark.parametrize(
    "wired",
    [
        pytest.param((NEEDED, (AND, 9, 9)), id="a gate of the same thing twice"),
        pytest.param(((AND, 0, 1), NEEDED, (gates.PASS_B, 9, 10)), id="a wire, and a gate that nothing reads"),
        pytest.param(((gates.TRUE, 0, 0), NEEDED, (AND, 9, 10)), id="a gate with a constant"),
    ],
)
def test_only_the_gate_that_is_needed_is_left(wired):
    before = circuit(*wired)
    assert wrong(before, STARTS) == (0,)
    codes, errors = pruned(before, (0,), judge(STARTS))
    after = HardCircuit(before.netlist, codes, before.boundary, before.keeps)
    assert errors == wrong(after, STARTS) == (0,)
    assert live(after).netlist.gates == 1


def test_a_gate_that_does_harm_now_and_then_goes_and_takes_its_errors_along():
    """All cells above and below at once change the result: seldom, and for the worse."""
    chain = [(AND, 0, 1), (AND, 9, 2), (AND, 10, 6), (AND, 11, 7), (AND, 12, 8)]
    before = circuit(*chain, NEEDED, (OR, 13, 14))
    starts = np.concatenate([STARTS, np.ones((1, 1, 5, 7), bool)])
    errors = wrong(before, starts)
    codes, left = pruned(before, errors, judge(starts))
    assert errors > (0,)
    assert left == (0,)
    assert codes[5] == gates.XOR


def test_nothing_goes_that_is_needed():
    before = circuit((gates.XOR, LEFT, CENTRE), (gates.XOR, 9, CENTRE), (gates.XOR, 10, RIGHT))
    codes, errors = pruned(circuit(NEEDED), (0,), judge(STARTS))
    assert (codes.tolist(), errors) == ([gates.XOR], (0,))
    codes, errors = pruned(before, (0,), judge(STARTS))
    assert errors == (0,)
    after = HardCircuit(before.netlist, codes, before.boundary, before.keeps)
    np.testing.assert_array_equal(after.run(STARTS, 9, backend="numpy"), _steps(STARTS, 9))


def _steps(bits, count):
    for _ in range(count):
        bits = rule_90(bits)
    return bits


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("boundary", ["zero", "periodic"])
def test_live_gates_show_what_all_gates_show(seed, boundary):
    """Random operations on published wires, of which two of five channels are seen."""
    rng = np.random.default_rng(seed)
    model = DiffLogicCA.build(5, 3, [8, 4, 2], [24, 12, 6, 5], boundary, seed=seed)
    model.visible = (0, 3)
    whole = model.with_codes(rng.choice([1, 3, 5, 6, 7, 10, 12, 0, 15], len(model.harden().codes))).harden()
    small, starts = live(whole), random_bits(rng, 2, 5, 6, 7)
    assert small.netlist.gates < whole.netlist.gates
    for steps in (1, 2, 5):
        shown = [each.run(starts, steps, backend="numpy")[:, [0, 3]] for each in (whole, small)]
        np.testing.assert_array_equal(*shown)


def test_a_published_run_is_kept_as_it_is():
    task = experiment("checkerboard").with_recipe("paper")
    model = DiffLogicCA.build(8, 2, [8, 4, 2], [32, 16, 8], "zero")
    assert task.refined(model, Score(0), "numpy") == (model, Score(0))
