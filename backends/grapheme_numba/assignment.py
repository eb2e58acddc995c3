"""The linear assignment problem by shortest augmenting paths, on whole numbers."""

from __future__ import annotations

from typing import Any

import numpy as np

from grapheme_numba.inner import inner

FAR = 2**62

ROW_PRICE, COLUMN_PRICE, COLUMN_OF, ROW_OF, DISTANCE, CAME_FROM, DONE = range(7)
"""The rows of a matching: prices of rows and columns, their partners (-1 is none), and scratch for one search.

One array and not seven, because numba compiles a function with few arguments much faster.
"""


@inner
def matching(size: int) -> Any:
    """Return room for assignments of up to ``size`` rows and columns."""
    return np.empty((7, size), np.int64)


@inner
def assign(cost: Any, rows: int, columns: int, match: Any, enough: int) -> int:
    """Give each row of ``cost[:rows, :columns]`` a column of its own, ``rows <= columns``; return the least sum.

    The sum of prices grows to the least sum from below: as soon as it reaches ``enough`` it is returned, unfinished.
    Prices never exceed the cost of their cell, columns without a row cost 0 and no column costs more.
    """
    total = _cheapest_cells(cost, rows, columns, match)
    for row in range(rows):
        if total >= enough:
            break
        if match[COLUMN_OF, row] < 0:
            total += _augment(cost, row, columns, match)
    return total


@inner
def _cheapest_cells(cost: Any, rows: int, columns: int, match: Any) -> int:
    """Price each row at its cheapest cell, and match those that do not collide."""
    match[COLUMN_PRICE, :columns] = 0
    match[ROW_OF, :columns] = -1
    total = 0
    for row in range(rows):
        best = 0
        for column in range(1, columns):
            if cost[row, column] < cost[row, best]:
                best = column
        match[ROW_PRICE, row] = cost[row, best]
        match[COLUMN_OF, row] = -1
        total += cost[row, best]
        if match[ROW_OF, best] < 0:
            match[ROW_OF, best], match[COLUMN_OF, row] = row, best
    return total


@inner
def _augment(cost: Any, start: int, columns: int, match: Any) -> int:
    """Match ``start`` along the shortest path to a free column; return the path's length."""
    match[DISTANCE, :columns] = FAR
    match[DONE, :columns] = 0
    row, reached, end = start, 0, -1
    while end < 0:
        nearest, least = -1, FAR
        base = reached - match[ROW_PRICE, row]
        for column in range(columns):
            if match[DONE, column]:
                continue
            through = base + cost[row, column] - match[COLUMN_PRICE, column]
            if through < match[DISTANCE, column]:
                match[DISTANCE, column], match[CAME_FROM, column] = through, row
            if match[DISTANCE, column] < least or (match[DISTANCE, column] == least and match[ROW_OF, column] < 0):
                nearest, least = column, match[DISTANCE, column]
        match[DONE, nearest], reached = 1, least
        row = match[ROW_OF, nearest]
        end = nearest if row < 0 else -1
    _reprice(start, columns, reached, match)
    while end >= 0:
        row = match[CAME_FROM, end]
        match[ROW_OF, end] = row
        match[COLUMN_OF, row], end = end, match[COLUMN_OF, row]
    return reached


@inner
def _reprice(start: int, columns: int, reached: int, match: Any) -> None:
    """Move the prices along the search, so that cells of the path become tight and none overpriced."""
    match[ROW_PRICE, start] += reached
    for column in range(columns):
        if match[DONE, column] and match[ROW_OF, column] >= 0:
            gain = reached - match[DISTANCE, column]
            match[ROW_PRICE, match[ROW_OF, column]] += gain
            match[COLUMN_PRICE, column] -= gain
