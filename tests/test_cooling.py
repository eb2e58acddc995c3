"""The learning rate that falls along half a cosine wave."""

from __future__ import annotations

import numpy as np
import pytest

from grapheme.ca.rounding import NO_ROUNDING
from grapheme.experiments.recipe import Recipe
from grapheme.training.cooling import Cooling


def test_it_falls_from_start_to_end_by_way_of_the_middle():
    cooling = Cooling(0.15, 0.05, 200)
    assert [cooling.rate(step) for step in (0, 100, 200, 1000)] == pytest.approx([0.15, 0.10, 0.05, 0.05])
    assert np.all(np.diff([cooling.rate(step) for step in range(201)]) < 0)


def test_a_third_of_the_way_it_has_fallen_by_a_quarter():
    assert Cooling(1.0, 0.0, 300).rate(100) == pytest.approx(0.75)  # cos(pi / 3) = 1 / 2


def test_a_recipe_cools_over_an_attempt_or_not_at_all():
    assert Recipe(lr=0.2, epochs=50, rounding=NO_ROUNDING).cooling is None
    assert Recipe(lr=0.2, epochs=50, rounding=NO_ROUNDING, coolest=0.1).cooling == Cooling(0.2, 0.1, 50)
