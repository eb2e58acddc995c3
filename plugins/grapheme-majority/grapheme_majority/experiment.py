"""The vote, learnt as the Game of Life is: from all 512 boards of 3x3 cells on a torus."""

from __future__ import annotations

import dataclasses
from functools import partial

import numpy as np

from grapheme.arrays import Bits
from grapheme.experiments.automaton import AutomatonExperiment
from grapheme.experiments.life import LIFE


def vote(boards: Bits, neighbours: int) -> Bits:
    """Return boards (..., height, width) one step later: alive is each cell of whose nine ``neighbours`` are, or more.

    The nine are the cell itself and those around it, on a torus.
    """
    shifts = [(dy, dx) for dy in (-1, 0, 1) for dx in (-1, 0, 1)]
    alive = sum(np.roll(boards, shift, axis=(-2, -1)).astype(np.int8) for shift in shifts)
    return np.asarray(alive >= neighbours)


def majority(neighbours: int) -> AutomatonExperiment:
    """Return the experiment that learns the vote with ``neighbours`` as its threshold."""
    return dataclasses.replace(LIFE, name="majority", target=partial(vote, neighbours=neighbours))
