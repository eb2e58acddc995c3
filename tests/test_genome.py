"""Genomes: the same automaton among gates that nothing depends on, and changes of it that a circuit can have."""

from __future__ import annotations

import numpy as np
import pytest

from grapheme.ca import DiffLogicCA
from grapheme.ca.genome import Genome, together
from grapheme.ca.hard import HardCircuit
from grapheme.ca.layout import Layout
from grapheme.ca.mutation import changed
from grapheme.ca.placement import placed
from grapheme.errors import InvalidInputError

from .circuits import CENTRE, NOT_A, OR, TRUE, E, N, S, W, border_checkerboard, circuit, plain_checkerboard


def board():
    """The border checkerboard, of which people look at channel 0; nothing depends on channel 5."""
    hard = border_checkerboard()
    return HardCircuit(hard.netlist, hard.codes, hard.boundary, Layout.every(6, (0,)))


@pytest.fixture
def genome():
    return Genome.of(board(), np.random.default_rng(0))


def test_a_genome_is_the_same_automaton(genome, numba):
    assert genome.channels == [0, 1, 2, 3, 4]
    assert (genome.size, len(genome.used), genome.depth) == (5, 5, 2)
    start = np.random.default_rng(1).random((2, 6, 17, 19)) < 0.5
    shown = genome.circuit(board()).run(start, 60, backend=numba)
    assert np.array_equal(shown[:, 0], np.broadcast_to(plain_checkerboard(17, 19), (2, 17, 19)))
    assert np.array_equal(shown[:, 5], start[:, 5]), "what nothing depends on keeps its value"


def test_idle_channels_say_whether_a_cell_has_fired_and_whether_one_beside_it_has():
    """Of four channels only the first is looked at, and it keeps its value."""
    keeps = circuit(4, "zero", [], [CENTRE * 4 + c for c in range(4)])
    hard = HardCircuit(keeps.netlist, keeps.codes, "zero", Layout.every(4, (0,)))
    logic = Genome.of(hard, np.random.default_rng(0)).logic
    netlist, codes = logic.netlist()
    flags = HardCircuit(netlist, codes, "zero")
    start = np.zeros((1, 4, 5, 5), bool)
    start[0, 2, 2, 2] = True
    fire = np.zeros((2, 1, 5, 5), bool)
    fire[0], fire[1, 0, 2, 3:] = True, True
    once, twice = flags.run(start, 1, fire[:1], "numpy"), flags.run(start, 2, fire, "numpy")
    assert once[0, 1].all()
    assert {tuple(cell) for cell in np.argwhere(once[0, 2])} == {(1, 2), (2, 1), (2, 2), (2, 3), (3, 2)}
    assert {tuple(cell) for cell in np.argwhere(twice[0, 2] & ~once[0, 2])} == {(2, 4)}


def test_changes_leave_a_circuit_and_most_of_them_show(genome, numba):
    rng = np.random.default_rng(2)
    children = [changed(genome, rng) for _ in range(200)]
    circuits = together([genome, *children])
    assert len(list(circuits.netlists())) == 201, "all are netlists, in topological order"
    start = rng.random((1, 6, 12, 12)) < 0.5
    before = genome.circuit(board()).run(start, 7, backend=numba)[:, 0]
    after = [child.circuit(board()).run(start, 7, backend=numba)[:, 0] for child in children]
    assert np.mean([not np.array_equal(before, shown) for shown in after]) > 0.5
    assert {child.size for child in children} > {3, 4, 5, 6, 8}, "gates are put into wires, one or three, and bypassed"


def test_the_same_numbers_make_the_same_changes_and_the_parent_stays_as_it_is(genome):
    before = (list(genome.logic.gates), list(genome.logic.outputs))
    first, second = (changed(genome, np.random.default_rng(5)) for _ in range(2))
    assert (first.logic.gates, first.logic.outputs) == (second.logic.gates, second.logic.outputs)
    assert (list(genome.logic.gates), list(genome.logic.outputs)) == before


def test_a_circuit_without_gates_can_be_changed():
    keeps = circuit(2, "zero", [], [CENTRE * 2, CENTRE * 2 + 1])
    genome = Genome.of(HardCircuit(keeps.netlist, keeps.codes, "zero", Layout.every(2, (0,))), np.random.default_rng(0))
    assert (genome.size, genome.depth, genome.used) == (0, 0, [])
    children = [changed(genome, np.random.default_rng(seed)) for seed in range(20)]
    assert any(child.size for child in children)


def model(seed=0, update=(64, 32, 16, 8, 6)):
    built = DiffLogicCA.build(6, 8, (8, 4, 2), update, "zero", seed=seed, xors=0.0)
    built.visible = (0,)
    return built


@pytest.mark.parametrize("seed", range(4))
def test_a_circuit_laid_out_on_layers_is_the_same_automaton(seed, numba):
    rng = np.random.default_rng(seed)
    hard = board()
    for _ in range(5):
        hard = changed(Genome.of(hard, rng), rng).circuit(hard)
    moved = placed(hard, model(seed, (64,) * 14 + (32, 16, 8, 6)))
    start, fire = rng.random((2, 6, 11, 13)) < 0.5, rng.random((30, 2, 11, 13)) < 0.6
    expected, actual = (each.run(start, 30, fire, numba)[:, 0] for each in (hard, moved.harden()))
    assert np.array_equal(actual, expected)
    assert moved.visible == (0,)


def test_every_neighbour_of_every_channel_can_be_laid_out(numba):
    """Each channel becomes, in one step, what the OR of the eight neighbours of the next one was."""
    gates, outputs = [], []
    for channel in range(6):
        other, last = (channel + 1) % 6, None
        for neighbour in (0, N, 2, W, E, 6, S, 8):
            source = neighbour * 6 + other
            if last is not None:
                gates.append((OR, last, source))
                source = 54 + len(gates) - 1
            last = source
        outputs.append(last)
    hard = circuit(6, "zero", gates, outputs)
    moved = placed(hard, model(3, (128,) * 7 + (64, 32, 16, 8, 6))).harden()
    start = np.random.default_rng(1).random((2, 6, 6, 9)) < 0.2
    assert np.array_equal(moved.run(start, 1, backend=numba), hard.run(start, 1, backend=numba))


@pytest.mark.parametrize(
    ("length", "message"),
    [(4, "12 values do not fit into a layer of 8 gates"), (5, "6 gates deep does not fit into 5 layers")],
)
def test_what_does_not_fit_is_refused_in_a_sentence(length, message):
    """Twelve rows of gates one upon another, of which each output reads two."""
    gates, ends = [], []
    for first in range(12):
        node = first
        for _ in range(length):
            gates.append((NOT_A, node, node))
            node = 54 + len(gates) - 1
        ends.append(node)
    pairs = [(OR, *ends[k : k + 2]) for k in range(0, 12, 2)]
    top = range(54 + len(gates), 54 + len(gates) + 6)
    with pytest.raises(InvalidInputError, match=message):
        placed(circuit(6, "zero", gates + pairs, list(top)), model())


def test_too_few_kernels_for_the_neighbours_are_refused_in_a_sentence():
    few = DiffLogicCA.build(1, 1, (8, 4, 2), (2, 1), "zero", seed=0)
    with pytest.raises(InvalidInputError, match="1 kernels cannot each pass on one of 2 neighbours"):
        placed(circuit(1, "zero", [(OR, N, S)], [9]), few)


def test_a_constant_is_laid_out_too(numba):
    ones = placed(circuit(6, "zero", [(TRUE, 0, 0)], [54] * 6), model()).harden()
    assert ones.run(np.zeros((1, 6, 4, 4), bool), 1, backend=numba).all()
