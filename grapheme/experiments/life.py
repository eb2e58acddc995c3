"""Conway's Game of Life, learnt from 3x3 boards on a torus, which show a cell every neighbourhood there is."""

from __future__ import annotations

import numpy as np

from grapheme.arrays import Bits
from grapheme.ca.rounding import constant
from grapheme.experiments.automaton import AutomatonExperiment
from grapheme.experiments.recipe import Recipe
from grapheme.rules import BOARDS, game_of_life


def _draw(rng: np.random.Generator, samples: int, channels: int, height: int, width: int) -> Bits:
    return BOARDS[rng.integers(0, len(BOARDS), samples)]


LIFE = AutomatonExperiment(
    name="life",
    channels=1,
    height=3,
    width=3,
    boundary="periodic",
    kernels=16,
    perceive=(8, 4, 2, 1),
    update=(128,) * 17 + (64, 32, 16, 8, 4, 2, 1),
    steps=1,
    batch_size=20,
    max_steps=3000,
    lr=0.05,
    reliable=Recipe(lr=0.05, max_steps=2000, restarts=9, rounding=constant(0.3), xors=0.5),
    start=_draw,
    target=game_of_life,
    validation=lambda experiment: BOARDS,
)
