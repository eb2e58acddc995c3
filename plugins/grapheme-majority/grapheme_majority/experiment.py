"""The vote, learnt as the Game of Life is: from all 512 boards of 3x3 cells on a torus."""

from __future__ import annotations

import dataclasses

import numpy as np

from grapheme.arrays import Bits
from grapheme.experiments.life import LIFE


def vote(boards: Bits) -> Bits:
    """Return boards (..., height, width) one step later: each cell what at least five of its nine are."""
    shifts = [(dy, dx) for dy in (-1, 0, 1) for dx in (-1, 0, 1)]
    return np.asarray(sum(np.roll(boards, shift, axis=(-2, -1)).astype(np.int8) for shift in shifts) >= 5)


MAJORITY = dataclasses.replace(LIFE, name="majority", target=vote)
