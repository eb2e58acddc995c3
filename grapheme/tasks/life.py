"""Conway's Game of Life on a graph: a node for each cell, joined to the eight around it; the edges of the board meet.

A living cell with two or three living neighbours lives on, a dead one with three comes to life, all others are dead.
"""

from __future__ import annotations

from functools import cache, partial
from math import isqrt

import numpy as np

from grapheme.arrays import Bits
from grapheme.csr import Csr
from grapheme.errors import InvalidInputError
from grapheme.graph import Graph
from grapheme.interfaces import AbstractGraph
from grapheme.randomness import generator
from grapheme.tasks.drawing import Sizes, draw_sets
from grapheme.tasks.pairs import Domain, GraphTask, Pair

SIDE = 10
DEAD, ALIVE = ".", "#"
AROUND = [(row, column) for row in (-1, 0, 1) for column in (-1, 0, 1) if row or column]


def to_graph(board: Bits) -> Graph:
    """Return the graph of a board (side, side), its cells row by row."""
    torus = _torus(len(board))
    return Graph(Csr(torus.indptr, torus.indices, False, tuple(ALIVE if cell else DEAD for cell in board.flat)))


def to_board(graph: AbstractGraph) -> Bits:
    """Return the board (side, side) of a graph whose nodes are the cells row by row."""
    side = isqrt(graph.nodes)
    if side * side != graph.nodes or not set(graph.node_labels or ()) <= {DEAD, ALIVE}:
        raise InvalidInputError(f"A board is square and its cells are {DEAD} or {ALIVE}.")
    return np.array([label == ALIVE for label in graph.node_labels or ()]).reshape(side, side)


def step(board: Bits) -> Bits:
    """Return the board a generation later."""
    living = np.sum([np.roll(board, shift, axis=(0, 1)) for shift in AROUND], axis=0)
    return np.asarray((living == 3) | (board & (living == 2)), np.bool_)


def boards(seed: int, count: int, side: int) -> tuple[Pair, ...]:
    """Return that many pairs on boards of any side from 3 up, for judging what was learnt on smaller ones."""
    rng = generator(seed, "validation", side)
    return tuple(draw(rng, side) for _ in range(count))


def draw(rng: np.random.Generator, side: int = SIDE) -> Pair:
    """Return a random board, and the board a generation later."""
    board = rng.random((side, side)) < rng.uniform(0.1, 0.6)
    return Pair(to_graph(board), to_graph(step(board)))


@cache
def _torus(side: int) -> Graph:
    if side < 3:
        raise InvalidInputError(f"On a board of side {side} a cell would neighbour one cell twice; use 3 or more.")
    cells = np.arange(side * side).reshape(side, side)
    edges = [np.stack([cells.ravel(), np.roll(cells, shift, axis=(0, 1)).ravel()], axis=1) for shift in AROUND]
    return Graph.from_edges(np.concatenate(edges), side * side)


def _parse(text: str) -> Graph:
    rows = text.split()
    if any(len(row) != len(rows) or not set(row) <= {DEAD, ALIVE} for row in rows) or not rows:
        raise InvalidInputError(f"Write a board as lines of {DEAD} and {ALIVE}, as many lines as cells in a line.")
    return to_graph(np.array([[cell == ALIVE for cell in row] for row in rows]))


def _render(graph: AbstractGraph) -> str:
    return "\n".join("".join(ALIVE if cell else DEAD for cell in row) for row in to_board(graph))


BOARD = Domain("board", _parse, _render)
LIFE_GRAPH = GraphTask(
    "life-graph",
    "Conway's Game of Life, a node a cell",
    BOARD,
    partial(draw_sets, draw, Sizes(train=200, validation=50, test=100)),
)
