"""The learning rate that falls along half a cosine wave."""

from __future__ import annotations

import numpy as np
import pytest
from grapheme.experiments.registry import experiment

from grapheme.ca.rounding import NO_ROUNDING
from grapheme.experiments.automaton import AutomatonExperiment
from grapheme.experiments.recipe import Recipe
from grapheme.optim.schedules import Cooling, second_half


def test_it_falls_from_start_to_end_by_way_of_the_middle():
    cooling = Cooling(0.15, 0.05, 200)
    assert [cooling.rate(step) for step in (0, 100, 200, 1000)] == pytest.approx([0.15, 0.10, 0.05, 0.05])
    assert np.all(np.diff([cooling.rate(step) for step in range(201)]) < 0)


def test_a_third_of_the_way_it_has_fallen_by_a_quarter():
    assert Cooling(1.0, 0.0, 300).rate(100) == pytest.approx(0.75)  # cos(pi / 3) = 1 / 2


def test_a_recipe_cools_over_an_attempt_or_not_at_all():
    assert Recipe(lr=0.2, epochs=50, rounding=NO_ROUNDING).cooling is None
    assert Recipe(lr=0.2, epochs=50, rounding=NO_ROUNDING, coolest=0.1).cooling == Cooling(0.2, 0.1, 50)


def test_in_the_second_half_it_falls_to_a_fiftieth():
    assert [second_half(0.1, step, 400) for step in (0, 200)] == [0.1, 0.1]
    assert second_half(0.1, 300, 400) == pytest.approx(0.05)  # half of half a wave
    assert second_half(0.1, 400, 400) == second_half(0.1, 10_000, 400) == pytest.approx(0.002)
    assert second_half(0.1, 300, None) == 0.1


@pytest.mark.parametrize("name", ["boolean", "cortex", "lizard"])
def test_it_falls_within_the_epochs_that_are_asked_for(name):
    task = experiment(name).with_recipe("reliable").with_epochs(7)
    assert task.epochs == 7
    if isinstance(task, AutomatonExperiment):
        assert task.recipe is not None
        assert task.recipe.cooling == Cooling(task.recipe.lr, 0.02, 7)
