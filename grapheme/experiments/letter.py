"""A letter in colours that grows out of nothing: only the edge of the grid tells cells where they are."""

from __future__ import annotations

import numpy as np

from grapheme.arrays import Bits
from grapheme.ca.repair import Repair
from grapheme.ca.rounding import constant
from grapheme.ca.task import fresh_starts
from grapheme.experiments.automaton import AutomatonExperiment
from grapheme.experiments.recipe import Recipe

PICTURE = """
................
.....YYYYYY.....
...YYYYYYYYYR...
..YYYYRRRYYYYR..
..YYYR...RRRRR..
.YYYR...........
.YYYR...........
.YYYR...CCCCCC..
.YYYR...CCCCCCB.
.YYYR....BBCCCB.
..YYYR.....CCCB.
..YYYYR...YCCB..
...YYYYYYYYYB...
.....YYYYYYRR...
......RRRRR.....
................
"""
"""A yellow G with red shadows, its bar cyan and blue: this project's initial."""

COLOURS = {".": (0, 0, 0), "R": (1, 0, 0), "Y": (1, 1, 0), "C": (0, 1, 1), "B": (0, 0, 1)}
"""Bits for red, green and blue."""

LETTER_PICTURE = np.array([[COLOURS[mark] for mark in row] for row in PICTURE.split()], np.bool_).transpose(2, 0, 1)
"""(3, 16, 16)."""

LETTER_PICTURE.setflags(write=False)


def nothing(rng: np.random.Generator, samples: int, channels: int, height: int, width: int) -> Bits:
    """Start from zeros."""
    return np.zeros((samples, channels, height, width), np.bool_)


def _target(grids: Bits) -> Bits:
    return np.broadcast_to(LETTER_PICTURE, (len(grids), *LETTER_PICTURE.shape))


LETTER = AutomatonExperiment(
    name="letter",
    channels=64,
    height=16,
    width=16,
    boundary="zero",
    kernels=4,
    perceive=(8, 4, 2),
    update=(512,) * 8 + (256, 128, 64),
    steps=15,
    batch_size=1,
    max_steps=3000,
    lr=0.06,
    reliable=Recipe(
        lr=0.06, max_steps=3500, restarts=3, rounding=constant(0.7), repair=Repair(every=300, most=0.03, tries=500)
    ),
    start=nothing,
    target=_target,
    validation=fresh_starts(1),
    loss_channels=(0, 1, 2),
)
