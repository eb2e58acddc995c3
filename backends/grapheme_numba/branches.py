"""One pair of graphs as the search sees it, and the branch bound on what a partial mapping leaves open.

Costs are counted from "the second graph is inserted whole": a pair of nodes then costs nothing where the first graph
has no edge, so all sums run over the edges of the first graph only. The last row and column of a table stand for no
node, which is where the index ``DELETED`` = -1 points.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from grapheme.kernels.edits import DELETED, OPEN
from grapheme_numba.assignment import FAR
from grapheme_numba.inner import inner


class Batch(NamedTuple):
    """Graphs, costs and pairs of graphs, as an ``EditProblem`` holds them."""

    nodes: Any
    """(graphs, N): the code of each node; 0 after the last."""
    edges: Any
    """(graphs, N, N): the code of each pair of nodes."""
    node_costs: Any
    """(node codes, node codes)"""
    edge_costs: Any
    """(edge codes, edge codes)"""
    pairs: Any
    """(P, 2): the graphs of each pair."""


class Pair(NamedTuple):
    """A first graph of n nodes, a second of m >= n, and what it costs to turn one into the other."""

    a: Any
    """(n, n) edge codes."""
    b: Any
    """(m + 1, m + 1) edge codes, 0 at the last."""
    near_a: Any
    """(n, n + 1): how many neighbours each node of the first graph has, and then which, ascending."""
    near_b: Any
    """(m, m + 1): the same for the second."""
    twin: Any
    """(m,): the first node of the second graph that each can trade places with unnoticed; often itself."""
    place: Any
    """(n, m + 1): the cost of node i becoming node j, less that of inserting j."""
    droppable: Any
    """(n,): whether deleting a node can ever be cheaper than giving it a free node of the second graph."""
    change: Any
    """(codes, codes): the cost of edge x becoming edge y, less that of inserting y."""
    insert: Any
    """(codes,): the cost of inserting an edge."""
    floors: Any
    """(3,): the least cost of changing an edge's code, of deleting an edge, of inserting one."""
    base: int
    """The cost of inserting the second graph whole."""


class Rest(NamedTuple):
    """What a partial mapping leaves open, and its branch costs, doubled so that half edges are whole numbers."""

    taken: Any
    """(2, m): the nodes of the first graph that are decided, and those of the second that are used."""
    rows: Any
    """(n,): the open nodes of the first graph, ascending."""
    columns: Any
    """(m,): the open nodes of the second, ascending."""
    left: Any
    """(n, codes): how many edges of each code a row has to other rows; of all codes at 0."""
    right: Any
    """(m, codes): the same for columns."""
    cost: Any
    """(n, m): row s becoming column t, or being deleted if that is cheaper."""
    drop: Any
    """(n,): row s being deleted."""


@inner
def pair(batch: Batch, number: int) -> Pair:
    """Return the problem of turning the first graph of a pair into the second."""
    nodes, edges, node_costs, edge_costs, pairs = batch
    x, y = pairs[number, 0], pairs[number, 1]
    n, m, codes = _size(nodes[x]), _size(nodes[y]), edge_costs.shape[0]
    a, b = _part(edges[x], n, n), _part(edges[y], m, m + 1)
    place, droppable = np.empty((n, m + 1), np.int64), np.zeros(n, np.bool_)
    for i in range(n):
        place[i, m] = node_costs[nodes[x, i], 0]
        for j in range(m):
            place[i, j] = node_costs[nodes[x, i], nodes[y, j]] - node_costs[0, nodes[y, j]]
            droppable[i] |= place[i, j] > place[i, m]
    change, insert = np.empty((codes, codes), np.int64), np.empty(codes, np.int64)
    for code in range(codes):
        insert[code] = edge_costs[0, code]
        for other in range(codes):
            change[code, other] = edge_costs[code, other] - edge_costs[0, other]
    base = 0
    for j in range(m):
        base += node_costs[0, nodes[y, j]]
        for k in range(j):
            base += insert[b[k, j]]
    twins, floors = _twins(b, nodes[y], m), _floors(edge_costs)
    return Pair(a, b, _near(a, n), _near(b, m), twins, place, droppable, change, insert, floors, base)


@inner
def rest(pair: Pair) -> Rest:
    """Return room for what a mapping of the pair can leave open."""
    n, m, codes = pair.a.shape[0], pair.twin.shape[0], pair.insert.shape[0]
    return Rest(
        np.empty((2, m), np.bool_), np.empty(n, np.int64), np.empty(m, np.int64), np.empty((n, codes), np.int64),
        np.empty((m, codes), np.int64), np.empty((n, m), np.int64), np.empty(n, np.int64),
    )  # fmt: skip


@inner
def placed(pair: Pair, mapping: Any, i: int, j: int, until: int) -> int:
    """Return the cost of node ``i`` becoming ``j``, with its edges to those nodes before ``until`` that are mapped."""
    return pair.place[i, j] + _edges(pair.a, pair.b, pair.near_a, pair.change, mapping, i, j, until)


@inner
def _edges(a: Any, b: Any, near: Any, change: Any, mapping: Any, i: int, j: int, until: int) -> int:
    """Return the cost of the edges alone; apart, for a call that passes the whole pair takes longer than the loop."""
    total = 0
    for at in range(1, near[i, 0] + 1):
        k = near[i, at]
        if k < until and mapping[k] != OPEN:
            total += change[a[k, i], b[mapping[k], j]]
    return total


@inner
def spent(pair: Pair, mapping: Any) -> int:
    """Return the cost of what a mapping has decided, less ``pair.base``."""
    total = 0
    for i in range(pair.a.shape[0]):
        if mapping[i] != OPEN:
            total += placed(pair, mapping, i, mapping[i], i)
    return total


@inner
def branch_costs(pair: Pair, mapping: Any, rest: Rest) -> tuple[int, int]:
    """Fill ``rest`` for a partial mapping; return how many rows and columns are open.

    A row becoming a column costs what its node and its edges to mapped nodes cost, exactly; and half the least that its
    edges to other rows can cost by their codes, for their other half is counted at their other end.
    """
    rows, columns = _open(pair, mapping, rest)
    _count(pair.a, pair.near_a, rest.rows, rows, rest.taken[0], rest.left)
    _count(pair.b, pair.near_b, rest.columns, columns, rest.taken[1], rest.right)
    for t in range(columns):
        inserted = 0
        for code in range(1, pair.insert.shape[0]):
            inserted += rest.right[t, code] * pair.insert[code]
        for s in range(rows):
            inner = _inner(rest.left, s, rest.right, t, pair.floors)
            rest.cost[s, t] = 2 * pair.place[rest.rows[s], rest.columns[t]] + inner - inserted
    for s in range(rows):
        _anchor(pair, mapping, rest, s, columns)
    return rows, columns


@inner
def _open(pair: Pair, mapping: Any, rest: Rest) -> tuple[int, int]:
    """List the open nodes of both graphs."""
    rows = columns = 0
    rest.taken[:] = False
    for i in range(pair.a.shape[0]):
        if mapping[i] == OPEN:
            rest.rows[rows] = i
            rows += 1
            continue
        rest.taken[0, i] = True
        if mapping[i] != DELETED:
            rest.taken[1, mapping[i]] = True
    for j in range(pair.twin.shape[0]):
        if not rest.taken[1, j]:
            rest.columns[columns] = j
            columns += 1
    return rows, columns


@inner
def _anchor(pair: Pair, mapping: Any, rest: Rest, s: int, columns: int) -> None:
    """Add the edges between row ``s`` and the nodes already mapped, and let deletion undercut a column."""
    i = rest.rows[s]
    drop = 2 * pair.place[i, -1]
    for code in range(1, pair.insert.shape[0]):
        drop += rest.left[s, code] * pair.change[code, 0]
    for at in range(1, pair.near_a[i, 0] + 1):
        k = pair.near_a[i, at]
        if mapping[k] != OPEN:
            code = pair.a[k, i]
            drop += 2 * pair.change[code, 0]
            for t in range(columns):
                rest.cost[s, t] += 2 * pair.change[code, pair.b[mapping[k], rest.columns[t]]]
    rest.drop[s] = drop
    for t in range(columns):
        rest.cost[s, t] = min(rest.cost[s, t], drop)


@inner
def _inner(left: Any, s: int, right: Any, t: int, floors: Any) -> int:
    """Return the least cost of turning the edges of row ``s`` into those of column ``t``, both counted by code."""
    common = 0
    for code in range(1, left.shape[1]):
        common += min(left[s, code], right[t, code])
    changed = min(left[s, 0], right[t, 0]) - common
    surplus = left[s, 0] - right[t, 0]
    return changed * floors[0] + (surplus * floors[1] if surplus > 0 else -surplus * floors[2])


@inner
def _count(codes: Any, near: Any, chosen: Any, count: int, taken: Any, bags: Any) -> None:
    """Count the edges of each chosen node to others that are not taken, by code; of all codes at 0."""
    bags[:count] = 0
    for s in range(count):
        for at in range(1, near[chosen[s], 0] + 1):
            other = near[chosen[s], at]
            if not taken[other]:
                bags[s, codes[chosen[s], other]] += 1
                bags[s, 0] += 1


@inner
def _floors(edge_costs: Any) -> Any:
    """Return the least cost of changing an edge's code, of deleting an edge and of inserting one."""
    codes = edge_costs.shape[0]
    change = delete = insert = FAR
    for x in range(1, codes):
        delete = min(delete, edge_costs[x, 0])
        insert = min(insert, edge_costs[0, x])
        for y in range(1, codes):
            if x != y:
                change = min(change, edge_costs[x, y])
    # A changed edge may also be deleted and another inserted; with no codes at all there is nothing to count.
    return np.array([min(change, delete + insert) if codes > 1 else 0, delete, insert])


@inner
def _twins(b: Any, labels: Any, m: int) -> Any:
    """Return for each node the first that has its label and its edges to all others."""
    twin = np.arange(m)
    for j in range(m):
        for k in range(j):
            if twin[k] == k and labels[j] == labels[k] and b[j, k] == b[k, j] and _same_edges(b, j, k, m):
                twin[j] = k
                break
    return twin


@inner
def _same_edges(b: Any, j: int, k: int, m: int) -> bool:
    same = True
    for other in range(m):
        same &= b[other, j] == b[other, k] or other in (j, k)
    return same


@inner
def _near(codes: Any, count: int) -> Any:
    """Return how many neighbours each of ``count`` nodes has, and then which, ascending."""
    near = np.zeros((count, count + 1), np.int32)
    for i in range(count):
        for k in range(count):
            if codes[i, k]:
                near[i, 0] += 1
                near[i, near[i, 0]] = k
    return near


@inner
def _part(codes: Any, count: int, size: int) -> Any:
    """Return the first ``count`` rows and columns, padded with 0 to ``size``."""
    part = np.zeros((size, size), np.int32)
    for i in range(count):
        for j in range(count):
            part[i, j] = codes[i, j]
    return part


@inner
def _size(nodes: Any) -> int:
    """Return how many nodes a padded row of codes has."""
    size = 0
    while size < nodes.shape[0] and nodes[size]:
        size += 1
    return size
