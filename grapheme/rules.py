"""Known rules of one bit a cell, on grids whose edges meet: what a learnt automaton is compared with."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np

from grapheme.arrays import Bits

BOARDS = (np.arange(512)[:, None] >> np.arange(9) & 1).reshape(512, 1, 3, 3).astype(np.bool_)
"""(512, 1, 3, 3): all boards of 3x3 cells, whose middle cells see every neighbourhood there is."""

BOARDS.setflags(write=False)


def game_of_life(grids: Bits) -> Bits:
    """Return grids (..., height, width) one step of Conway's Game of Life later: the rule B3/S23."""
    return life_like(grids, born=(3,), stays=(2, 3))


def life_like(grids: Bits, born: Collection[int], stays: Collection[int]) -> Bits:
    """Return grids (..., height, width) a step later: cells are born, and stay, at these counts of eight neighbours."""
    cells = grids.astype(np.int8)
    rows = cells + np.roll(cells, 1, axis=-2) + np.roll(cells, -1, axis=-2)
    alive = rows + np.roll(rows, 1, axis=-1) + np.roll(rows, -1, axis=-1) - cells
    following = np.zeros((2, 9), np.bool_)
    following[0, list(born)] = following[1, list(stays)] = True
    return np.asarray(following[cells, alive])


def elementary(grids: Bits, number: int) -> Bits:
    """Return grids (..., width) a step later: bit (left, cell, right), read as a number, of the rule's number.

    Such a rule is one-dimensional; every row of a grid follows it by itself.
    """
    cells = grids.astype(np.int64)
    index = 4 * np.roll(cells, 1, axis=-1) + 2 * cells + np.roll(cells, -1, axis=-1)
    return np.asarray(number >> index & 1, np.bool_)
