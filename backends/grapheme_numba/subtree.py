"""Depth-first branch and bound through one subtree of partial mappings."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from grapheme.kernels.edits import DELETED
from grapheme_numba.assignment import COLUMN_PRICE, FAR, ROW_PRICE, assign, matching
from grapheme_numba.branches import Pair, Rest, branch_costs, rest, spent
from grapheme_numba.inner import inner
from grapheme_numba.starts import complete


class Children(NamedTuple):
    """The ways to decide one row: what it becomes, and a bound for each."""

    choice: Any
    bound: Any


@inner
def explore(pair: Pair, stack: Any, bound: Any, upper: int, mapping: Any, budget: int) -> tuple[int, int]:
    """Search below the partial mapping ``stack[0]`` for mappings cheaper than ``upper``, looking at ``budget`` nodes.

    The best goes to ``mapping``. Return its cost, and how many subtrees, now on ``stack`` with their ``bound``, are
    left. The stack holds at most all siblings along one path.
    """
    room, match = rest(pair), matching(pair.b.shape[0])
    m = pair.b.shape[0]
    children = Children(np.empty(m, np.int64), np.empty(m, np.int64))
    here, trial = stack[0].copy(), stack[0].copy()
    top = 1
    while top > 0 and budget > 0:
        top -= 1
        if bound[top] >= upper:
            continue
        budget -= 1
        _copy(stack[top], here)
        done = spent(pair, here)
        enough = 2 * (upper - pair.base) - 1  # half a unit more is a whole unit more
        rows, columns = branch_costs(pair, here, room)
        least = 2 * done + assign(room.cost, rows, columns, match, enough - 2 * done)
        if least >= enough:
            continue
        _copy(here, trial)
        complete(pair, room, match, rows, trial)
        cost = pair.base + spent(pair, trial)
        if cost < upper:
            _copy(trial, mapping)
            upper = cost
            enough = 2 * (upper - pair.base) - 1
        if least < enough:
            row = _hardest(room, match, rows, columns, enough - least)
            count = _children(pair, room, match, row, columns, enough - least, children)
            for child in range(count):
                _copy(here, stack[top])
                stack[top, room.rows[row]] = children.choice[child]
                bound[top] = pair.base + (least + children.bound[child] + 1) // 2
                top += 1
    return upper, top


@inner
def _hardest(room: Rest, match: Any, rows: int, columns: int, slack: int) -> int:
    """Return the row with the fewest columns within ``slack`` by their prices; of equals the one with most edges."""
    hardest, least = 0, FAR
    for s in range(rows):
        ways = 0
        for t in range(columns):
            ways += room.cost[s, t] - match[ROW_PRICE, s] - match[COLUMN_PRICE, t] < slack
        ways = ways * (rows + 1) - room.left[s, 0]
        if ways < least:
            hardest, least = s, ways
    return hardest


@inner
def _children(pair: Pair, room: Rest, match: Any, s: int, columns: int, slack: int, children: Children) -> int:
    """List what row ``s`` can become within ``slack``, the most promising last; return how many ways there are.

    Of columns that could trade places unnoticed only the first free one is listed.
    """
    count = 0
    for t in range(columns):
        more = room.cost[s, t] - match[ROW_PRICE, s] - match[COLUMN_PRICE, t]
        if more < slack and _first_twin(pair, room, t):
            count = _insert(children, count, room.columns[t], more)
    more = max(0, room.drop[s] - match[ROW_PRICE, s])
    if pair.droppable[room.rows[s]] and more < slack:
        count = _insert(children, count, DELETED, more)
    return count


@inner
def _first_twin(pair: Pair, room: Rest, t: int) -> bool:
    first = True
    for before in range(t):
        first &= pair.twin[room.columns[before]] != pair.twin[room.columns[t]]
    return first


@inner
def _insert(children: Children, count: int, choice: int, bound: int) -> int:
    """Insert a child before those with lower bounds; return the new count."""
    at = count
    while at > 0 and children.bound[at - 1] < bound:
        children.choice[at], children.bound[at] = children.choice[at - 1], children.bound[at - 1]
        at -= 1
    children.choice[at], children.bound[at] = choice, bound
    return count + 1


@inner
def _copy(source: Any, target: Any) -> None:
    """Copy a mapping; numba takes seconds to compile an assignment of slices."""
    for i in range(source.shape[0]):
        target[i] = source[i]
