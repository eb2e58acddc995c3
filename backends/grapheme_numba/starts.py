"""A first mapping for a pair of graphs: an assignment of branches, refined by moves and swaps."""

from __future__ import annotations

from typing import Any

import numpy as np

from grapheme.kernels.edits import DELETED, OPEN
from grapheme_numba.assignment import COLUMN_OF, FAR, assign, matching
from grapheme_numba.branches import Pair, Rest, branch_costs, placed, rest, spent
from grapheme_numba.inner import inner


@inner
def start(pair: Pair, mapping: Any) -> tuple[int, int]:
    """Write a good mapping of the pair and return a lower bound of the distance and the mapping's cost."""
    room, match = rest(pair), matching(pair.b.shape[0])
    mapping[: pair.a.shape[0]] = OPEN
    rows, columns = branch_costs(pair, mapping, room)
    lower = pair.base + (assign(room.cost, rows, columns, match, FAR) + 1) // 2
    complete(pair, room, match, rows, mapping)
    upper = pair.base + spent(pair, mapping)
    if lower < upper:
        _refine(pair, mapping)
        upper = pair.base + _repeat(pair, room, match, mapping)
    return lower, upper


@inner
def complete(pair: Pair, room: Rest, match: Any, rows: int, mapping: Any) -> None:
    """Decide the open rows of a mapping as they are matched."""
    for s in range(rows):
        i, t = room.rows[s], match[COLUMN_OF, s]
        dropped = pair.droppable[i] and room.cost[s, t] == room.drop[s]
        mapping[i] = DELETED if dropped else room.columns[t]


@inner
def _repeat(pair: Pair, room: Rest, match: Any, mapping: Any) -> int:
    """Assign all nodes anew as if the others stayed, and refine, for as long as that helps; return the cost."""
    n, m = room.cost.shape
    trial, best = mapping.copy(), spent(pair, mapping)
    while True:
        for i in range(n):
            room.drop[i] = placed(pair, trial, i, DELETED, n)
            for j in range(m):
                room.cost[i, j] = min(placed(pair, trial, i, j, n), room.drop[i])
        assign(room.cost, n, m, match, FAR)
        complete(pair, room, match, n, trial)
        _refine(pair, trial)
        cost = spent(pair, trial)
        if cost >= best:
            return best
        best = cost
        for i in range(n):
            mapping[i] = trial[i]


@inner
def _refine(pair: Pair, mapping: Any) -> None:
    """Move single nodes and swap pairs of them until neither helps."""
    n, m = pair.a.shape[0], pair.twin.shape[0]
    used = np.zeros(m + 1, np.bool_)
    for i in range(n):
        used[mapping[i]] = True
    better = True
    while better:
        better = False
        for i in range(n):
            better |= _move(pair, mapping, used, i)
            for k in range(i):
                better |= _swap(pair, mapping, i, k)


@inner
def _move(pair: Pair, mapping: Any, used: Any, i: int) -> bool:
    """Give node ``i`` the cheapest free node, or none."""
    n, m = pair.a.shape[0], pair.twin.shape[0]
    best, least = mapping[i], placed(pair, mapping, i, mapping[i], n)
    used[m] = False
    for j in range(m + 1):
        to = j if j < m else DELETED
        if not used[j] and placed(pair, mapping, i, to, n) < least:
            best, least = to, placed(pair, mapping, i, to, n)
    moved = best != mapping[i]
    used[mapping[i]], used[best], mapping[i] = False, True, best
    return moved


@inner
def _swap(pair: Pair, mapping: Any, i: int, k: int) -> bool:
    """Swap where two nodes go, if that is cheaper."""
    before = _both(pair, mapping, i, k)
    mapping[i], mapping[k] = mapping[k], mapping[i]
    if _both(pair, mapping, i, k) < before:
        return True
    mapping[i], mapping[k] = mapping[k], mapping[i]
    return False


@inner
def _both(pair: Pair, mapping: Any, i: int, k: int) -> int:
    """Return the cost of two nodes and all their edges."""
    n = pair.a.shape[0]
    total = placed(pair, mapping, i, mapping[i], n) + placed(pair, mapping, k, mapping[k], n)
    between = pair.change[pair.a[k, i], pair.b[mapping[k], mapping[i]]] if pair.a[k, i] else 0
    return total - between
