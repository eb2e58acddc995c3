"""Evolution: a circuit comes to do what is asked of it, the same whatever the number of threads."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

import grapheme
from grapheme.backend import Backend
from grapheme.ca.contest import Contest, Heat
from grapheme.ca.evolve import Evolution, evolved
from grapheme.ca.genome import Genome
from grapheme.ca.hard import HardCircuit
from grapheme.ca.layout import Layout
from grapheme.ca.prune import live
from grapheme.experiments.automaton_callbacks import Evolve
from grapheme.experiments.judge import draws
from grapheme.kernels.trial import Trial
from grapheme.models.model import Score
from grapheme.training.callbacks import Candidate
from grapheme.training.experiment import experiment

from .circuits import CENTRE, circuit

KEEPS = circuit(2, "periodic", [], [CENTRE * 2, CENTRE * 2 + 1])
ONE_SEEN = HardCircuit(KEEPS.netlist, KEEPS.codes, "periodic", Layout.every(2, (0,)))


def rule_90(grid):
    """Each cell becomes the sum, modulo two, of its neighbours left and right (Wolfram 1983)."""
    return np.roll(grid, 1, axis=-1) ^ np.roll(grid, -1, axis=-1)


def dilated(grid):
    """A cell is on if any of the nine around it was; one gate for each is a little better than without."""
    return np.any([np.roll(grid, (dy, dx), (0, 1)) for dy in (-1, 0, 1) for dx in (-1, 0, 1)], axis=0)


def contest(rule, backend, draw=0, cells=(4, 8, 8), density=0.5):
    """Asks for a step of a rule in the first of two channels, on random grids."""
    start = np.random.default_rng(draw).random((cells[0], 2, *cells[1:])) < density
    wanted = np.stack([rule(grid) for grid in start[:, 0]])[:, None] & np.array([True, False])[:, None, None]
    counted = np.zeros_like(start)
    counted[:, 0] = True
    return Contest((Heat(Trial(start, "periodic", 1, None, None, wanted, counted, 1)),), backend)


def rng(seed=0):
    return np.random.default_rng(seed)


def test_a_wire_becomes_rule_90(numba):
    contests = [contest(rule_90, numba, draw) for draw in range(4)]
    grown = evolved(ONE_SEEN, contests, 60, 8, rng())
    assert contest(rule_90, numba, 99).errors(grown) == (0,)
    assert grown.netlist.gates < 6, "gates that are of no use have a price"
    assert grown.layout.visible == (0,)


def test_no_child_that_does_worse_takes_its_parents_place(numba):
    """A gate is worth one error."""
    test = contest(dilated, numba, density=0.2)
    before = test.errors(ONE_SEEN)
    first = evolved(ONE_SEEN, [test], 40, 8, rng())
    second = evolved(first, [test], 40, 8, rng(1))
    sizes = [each.netlist.gates for each in (ONE_SEEN, first, second)]
    found = [before, test.errors(first), test.errors(second)]
    assert found[0] > found[1]
    assert sizes[0] + found[0][0] >= sizes[1] + found[1][0] >= sizes[2] + found[2][0]


@pytest.mark.parametrize("deepest", [1, 2])
def test_circuits_grow_no_deeper_than_they_may(numba, deepest):
    grown = evolved(ONE_SEEN, [contest(dilated, numba, density=0.2)], 40, deepest, rng())
    assert 0 < Genome.of(grown, rng()).depth <= deepest


def test_the_same_circuit_comes_of_it_on_any_number_of_threads_and_on_the_oracle():
    grown = [
        evolved(ONE_SEEN, [contest(rule_90, grapheme.get_backend(name, threads=threads), 0, (1, 5, 6))], 12, 8, rng())
        for name, threads in (("numpy", 1), ("numba", 1), ("numba", 2))
    ]
    for other in grown[1:]:
        for name in ("a", "b", "outputs"):
            assert np.array_equal(getattr(grown[0].netlist, name), getattr(other.netlist, name))
        assert np.array_equal(grown[0].codes, other.codes)


def test_no_draw_is_used_twice():
    evolution = Evolution(shrinking=3, times=4, draws=2, generations=1)
    assert [list(draws(evolution, time)) for time in range(3)] == [[1, 2, 3], [4, 5], [6, 7]]


def test_a_backend_without_tests_of_its_own_evolves_the_same_circuit(numba):
    """Errors are counted on the host then: composed of single steps, it would take hours."""
    own = Backend("own", cell=SimpleNamespace(step=None, step_grad=None, hard_step=None))
    grown = [evolved(ONE_SEEN, [contest(rule_90, backend)], 12, 8, rng()) for backend in (numba, own)]
    assert np.array_equal(grown[0].codes, grown[1].codes)
    assert np.array_equal(grown[0].netlist.outputs, grown[1].netlist.outputs)


def test_evolution_has_its_rounds_and_none_as_published():
    assert [callback.rounds for callback in experiment("checkerboard").callbacks()] == [0, 30]
    assert experiment("checkerboard", {"recipe": "paper"}).callbacks() == ()


def test_a_round_makes_a_model_of_the_same_layers_with_the_score_that_it_says(numba):
    """A model whose gates pass on what they read; a few changes at random, far fewer than it takes to learn."""
    task = experiment("checkerboard")
    short = Evolution(shrinking=1, times=2, draws=1, generations=3)
    evolve = Evolve(task.judge, short, task.update)
    found = Candidate(task.trainer(0, 0, "float32", numba).model, Score(0))
    for number in range(evolve.rounds):
        found = evolve.on_round(found, number, numba)
        assert task.judge.score(live(found.model.harden()), numba) == found.score
        assert task.errors(found.model, numba) == found.score.errors
        assert [len(a) for a, _ in found.model.update] == list(task.update)
    assert evolve.rounds == 2
