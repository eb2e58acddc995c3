"""The linear assignment problem by shortest augmenting paths, on whole numbers."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import njit

FAR = np.int64(2**62)


class Matching(NamedTuple):
    """An assignment under way: prices of rows and columns, partners (-1 is none), and scratch for one search."""

    row_price: Any
    column_price: Any
    column_of: Any
    row_of: Any
    distance: Any
    came_from: Any
    done: Any


@njit(cache=True)
def matching(size: int) -> Matching:
    """Return room for assignments of up to ``size`` rows and columns."""
    return Matching(
        np.empty(size, np.int64), np.empty(size, np.int64), np.empty(size, np.int64), np.empty(size, np.int64),
        np.empty(size, np.int64), np.empty(size, np.int64), np.empty(size, np.bool_),
    )  # fmt: skip


@njit(cache=True)
def assign(cost: Any, rows: int, columns: int, match: Matching, enough: int) -> int:
    """Give each row of ``cost[:rows, :columns]`` a column of its own, ``rows <= columns``, at the least sum; return the sum.

    The sum of prices grows to the least sum from below: as soon as it reaches ``enough`` it is returned, unfinished.
    Prices never exceed the cost of their cell, columns without a row cost 0 and no column costs more.
    """
    total = _cheapest_cells(cost, rows, columns, match)
    for row in range(rows):
        if total >= enough:
            break
        if match.column_of[row] < 0:
            total += _augment(cost, row, columns, match)
    return total


@njit(cache=True)
def _cheapest_cells(cost: Any, rows: int, columns: int, match: Matching) -> int:
    """Price each row at its cheapest cell, and match those that do not collide."""
    match.column_price[:columns] = 0
    match.row_of[:columns] = -1
    total = np.int64(0)
    for row in range(rows):
        best = 0
        for column in range(1, columns):
            if cost[row, column] < cost[row, best]:
                best = column
        match.row_price[row] = cost[row, best]
        match.column_of[row] = -1
        total += cost[row, best]
        if match.row_of[best] < 0:
            match.row_of[best], match.column_of[row] = row, best
    return total


@njit(cache=True)
def _augment(cost: Any, start: int, columns: int, match: Matching) -> int:
    """Match ``start`` along the shortest path to a free column; return the path's length."""
    match.distance[:columns] = FAR
    match.done[:columns] = False
    row, reached, end = start, np.int64(0), -1
    while end < 0:
        nearest, least = -1, FAR
        base = reached - match.row_price[row]
        for column in range(columns):
            if match.done[column]:
                continue
            through = base + cost[row, column] - match.column_price[column]
            if through < match.distance[column]:
                match.distance[column], match.came_from[column] = through, row
            if match.distance[column] < least or (match.distance[column] == least and match.row_of[column] < 0):
                nearest, least = column, match.distance[column]
        match.done[nearest], reached = True, least
        row = match.row_of[nearest]
        end = nearest if row < 0 else -1
    _reprice(start, columns, reached, match)
    while end >= 0:
        row = match.came_from[end]
        match.row_of[end] = row
        match.column_of[row], end = end, match.column_of[row]
    return reached


@njit(cache=True)
def _reprice(start: int, columns: int, reached: int, match: Matching) -> None:
    """Move the prices along the search, so that cells of the path become tight and none overpriced."""
    match.row_price[start] += reached
    for column in range(columns):
        if match.done[column] and match.row_of[column] >= 0:
            gain = reached - match.distance[column]
            match.row_price[match.row_of[column]] += gain
            match.column_price[column] -= gain
