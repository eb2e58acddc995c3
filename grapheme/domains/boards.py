"""Boards of cells as graphs: a node for each cell, joined to the eight around it; the edges of the board meet."""

from __future__ import annotations

from functools import cache
from math import isqrt

import numpy as np

from grapheme.arrays import Bits
from grapheme.domains.domain import Domain
from grapheme.errors import InvalidInputError
from grapheme.graph import Graph
from grapheme.graph.abstract import AbstractGraph
from grapheme.kernels.csr import Csr

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
