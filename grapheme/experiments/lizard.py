"""A lizard that grows out of one cell."""

from __future__ import annotations

import numpy as np

from grapheme.arrays import Bits
from grapheme.ca.parametrisation import TruthTable
from grapheme.ca.repair import Repair
from grapheme.ca.rounding import constant
from grapheme.ca.task import fresh_starts
from grapheme.experiments.automaton import AutomatonExperiment
from grapheme.experiments.recipe import Recipe

SIZE = 20
ROWS = (
    "00000 0e000 0e000 1f200 1f700 1f600 0fe10 07e38 0bff0 1ffc0 "
    "1ffc0 00fc0 007e0 00fe0 01ee0 00ce0 0006c 00074 0003c 00000"
)  # fmt: skip
"""The published picture: a row a number, its highest bit the leftmost cell."""

LIZARD_PICTURE = np.array([[int(row, 16) >> (SIZE - 1 - x) & 1 for x in range(SIZE)] for row in ROWS.split()], np.bool_)
LIZARD_PICTURE.setflags(write=False)


def seed_cell(rng: np.random.Generator, samples: int, channels: int, height: int, width: int) -> Bits:
    """Start from zeros with ones in every channel of the middle cell."""
    grids = np.zeros((samples, channels, height, width), np.bool_)
    grids[:, :, height // 2, width // 2] = True
    return grids


def _target(grids: Bits) -> Bits:
    """Return the lizard around the middle, whatever the size of the grids."""
    _, _, height, width = grids.shape
    top, left = height // 2 - SIZE // 2, width // 2 - SIZE // 2
    target = np.zeros((len(grids), 1, height, width), np.bool_)
    target[:, 0, top : top + SIZE, left : left + SIZE] = LIZARD_PICTURE
    return target


LIZARD = AutomatonExperiment(
    name="lizard",
    channels=128,
    height=SIZE,
    width=SIZE,
    boundary="periodic",
    kernels=4,
    perceive=(8, 4, 2, 1),
    update=(512,) * 8 + (256, 128),
    steps=12,
    batch_size=1,
    max_steps=3500,
    lr=0.06,
    reliable=Recipe(
        lr=0.12,
        coolest=0.02,
        max_steps=3000,
        restarts=3,
        parametrisation=TruthTable(limit=8.0),
        rounding=constant(0.6),
        xors=0.5,
        repair=Repair(every=150, most=0.1, tries=1200),
    ),
    start=seed_cell,
    target=_target,
    validation=fresh_starts(1),
)
