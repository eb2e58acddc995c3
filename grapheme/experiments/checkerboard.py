"""A checkerboard that grows out of random bits, with all cells updating together or each when it happens to fire."""

from __future__ import annotations

import dataclasses

import numpy as np

from grapheme.arrays import Bits
from grapheme.ca.evolve import Evolution
from grapheme.ca.rounding import Rounding
from grapheme.ca.task import fresh_starts, random_bits
from grapheme.experiments.automaton import AutomatonExperiment
from grapheme.experiments.recipe import Recipe

SQUARE = 2
"""Cells along the side of a square of the pattern."""


def checkerboard(height: int, width: int) -> Bits:
    """Return the pattern (height, width)."""
    rows, columns = np.indices((height, width)) // SQUARE
    return np.asarray((rows + columns) % 2 == 1)


def _target(grids: Bits) -> Bits:
    return np.broadcast_to(checkerboard(*grids.shape[2:]), (len(grids), 1, *grids.shape[2:]))


CHECKERBOARD = AutomatonExperiment(
    name="checkerboard",
    channels=8,
    height=16,
    width=16,
    boundary="zero",
    kernels=16,
    perceive=(8, 4, 2),
    update=(256,) * 10 + (128, 64, 32, 16, 8, 8),
    steps=20,
    batch_size=2,
    max_steps=500,
    lr=0.05,
    reliable=Recipe(
        lr=0.1,
        max_steps=1000,
        restarts=9,
        rounding=Rounding(0.0, 0.85, tolerance=0.03),
        xors=0.0,
        candidates=32,
        refined_every=50,
        evolution=Evolution(shrinking=12, times=30, draws=4, generations=60),
    ),
    start=random_bits,
    target=_target,
    validation=fresh_starts(256),
    grows=True,
    gates=6,
)

CHECKERBOARD_ASYNC = dataclasses.replace(
    CHECKERBOARD,
    name="checkerboard-async",
    height=14,
    width=14,
    update=(256,) * 14 + (128, 64, 32, 16, 8, 8),
    steps=50,
    batch_size=1,
    max_steps=800,
    fire_probability=0.6,
    validation=fresh_starts(64),
    withstands=0.13,
    gates=40,
)
