"""Conway's Game of Life on a graph: a node for each cell, joined to the eight around it; the edges of the board meet.

A living cell with two or three living neighbours lives on, a dead one with three comes to life, all others are dead.
"""

from __future__ import annotations

import numpy as np

from grapheme.datasets.drawing import Sizes, drawn_task
from grapheme.datasets.pairs import Pair
from grapheme.domains.boards import BOARD, to_graph
from grapheme.rng import generator
from grapheme.rules import game_of_life

SIDE = 10


def boards(seed: int, count: int, side: int) -> tuple[Pair, ...]:
    """Return that many pairs on boards of any side from 3 up, for judging what was learnt on smaller ones."""
    rng = generator(seed, "validation", side)
    return tuple(draw(rng, side) for _ in range(count))


def draw(rng: np.random.Generator, side: int = SIDE) -> Pair:
    """Return a random board, and the board a generation later."""
    board = rng.random((side, side)) < rng.uniform(0.1, 0.6)
    return Pair(to_graph(board), to_graph(game_of_life(board)))


LIFE_GRAPH = drawn_task(
    "life-graph",
    "Conway's Game of Life, a node a cell",
    BOARD,
    draw,
    Sizes(train=200, validation=50, test=100),
)
