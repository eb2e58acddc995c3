"""Maximal cliques: Bron and Kerbosch with Tomita's pivot, from each node of an order (Eppstein, Loeffler, Strash).

From a start node, the candidates are its neighbours after it and the excluded nodes those before it. Candidates, few
in a good order, are bits; excluded nodes, perhaps many, are a list of rows of bits that shrinks on the way down.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import njit, prange

from grapheme.arrays import Ints
from grapheme.kernels.csr import Offsets
from grapheme_numba import schedule
from grapheme_numba.words import ONE, lowest, ones


class Order(NamedTuple):
    """A graph and the order in which its nodes are started from."""

    indptr: Any
    """(nodes + 1,)"""
    indices: Any
    """(arcs,)"""
    order: Any
    """(nodes,): the nodes, the first first."""
    rank: Any
    """(nodes,): where each comes in the order."""


class Around(NamedTuple):
    """A start node and its neighbours."""

    start: int
    later: Any
    """(n,): those after it."""
    bits: Any
    """(n, words): which of them each of them is joined to."""
    excluded: Any
    """(m, words): and each of the m neighbours before it."""


class Found(NamedTuple):
    """The cliques of a start node, counted, and written if there are ``ends``."""

    count: Any
    """(2,): how many CLIQUES and MEMBERS of them there are so far."""
    ends: Any
    """(1, 2): how many there are of all start nodes before it; or (0, 2)."""
    offsets: Any
    """(cliques + 1,): where the members of each clique of the graph end."""
    members: Any


CLIQUES, MEMBERS = 0, 1


def maximal_cliques(indptr: Offsets, indices: Ints, order: Ints, cap: int) -> tuple[Offsets, Ints] | None:
    """Count the cliques and members of each start node, then list each node's where those before it end."""
    n = len(order)
    rank = np.empty(n, np.int32)
    rank[order] = np.arange(n, dtype=np.int32)
    graph, counts = Order(indptr, indices, order, rank), np.zeros((n, 2), np.int64)
    nothing = Found(counts, counts[:0], np.zeros(0, np.int64), np.zeros(0, np.int32))
    _search_all(graph, cap, nothing, schedule.decks(n))
    ends = np.concatenate([[[0, 0]], np.cumsum(counts, axis=0)])
    cliques, size = ends[-1]
    if size > cap:
        return None
    found = Found(counts, ends, np.zeros(cliques + 1, np.int64), np.empty(size, np.int32))
    _search_all(graph, cap, found, schedule.decks(n))
    return found.offsets, found.members


@schedule.shared
def _search_all(graph: Order, cap: int, found: Found, pieces: int) -> None:
    """Search from each node of the order; ``found`` has the arrays of all of them."""
    for piece in prange(pieces):
        _search_some(graph, cap, found, piece, pieces)


@njit(cache=True)
def _search_some(graph: Order, cap: int, found: Found, first: int, step: int) -> None:
    """Search from every ``step``-th node from ``first`` on."""
    place = np.full(graph.order.shape[0], -1, np.int32)
    for i in range(first, graph.order.shape[0], step):
        around = _neighbourhood(graph, graph.order[i], place)
        _descend(around, cap, Found(found.count[i], found.ends[i : i + 1], found.offsets, found.members))


@njit(cache=True)
def _neighbourhood(graph: Order, start: int, place: Any) -> Around:
    """Return the neighbours of a start node; ``place (nodes,)`` is all -1 before and after."""
    indptr, indices, rank = graph.indptr, graph.indices, graph.rank
    row = indices[indptr[start] : indptr[start + 1]]
    later, earlier = np.empty(row.shape[0], np.int32), np.empty(row.shape[0], np.int32)
    count = 0
    for i in range(row.shape[0]):
        if rank[row[i]] > rank[start]:
            later[count] = row[i]
            count += 1
        else:
            earlier[i - count] = row[i]
    later, earlier = later[:count], earlier[: row.shape[0] - count]
    width = max(1, (later.shape[0] + 63) >> 6)
    bits = np.zeros((later.shape[0], width), np.uint64)
    excluded = np.zeros((earlier.shape[0], width), np.uint64)
    for i in range(later.shape[0]):
        place[later[i]] = i
    _fill(indptr, indices, later, place, bits)
    _fill(indptr, indices, earlier, place, excluded)
    for i in range(later.shape[0]):
        place[later[i]] = -1
    return Around(start, later, bits, excluded)


@njit(cache=True)
def _fill(indptr: Any, indices: Any, nodes: Any, place: Any, bits: Any) -> None:
    for i in range(nodes.shape[0]):
        for arc in range(indptr[nodes[i]], indptr[nodes[i] + 1]):
            j = place[indices[arc]]
            if j >= 0:
                bits[i, j >> 6] |= ONE << np.uint64(j & 63)


@njit(cache=True)
def _descend(around: Around, cap: int, found: Found) -> None:
    """Walk through the tree of choices from one start node.

    Invariant: at each level, ``open``, the candidates, ``done``, the candidates tried before, and ``outer[: left]``,
    the excluded nodes, are joined to every node chosen at the levels before; ``branch`` are the candidates still to
    be tried there.
    """
    _, later, bits, excluded = around
    count, most, width = found.count, later.shape[0], bits.shape[1]
    open_, done = np.zeros((most + 1, width), np.uint64), np.zeros((most + 1, width), np.uint64)
    branch = np.zeros((most + 1, width), np.uint64)
    left, chosen = np.zeros(most + 1, np.int64), np.empty(most, np.int64)
    left[0] = excluded.shape[0]
    outer = np.empty(excluded.shape[0], np.int64)
    for i in range(excluded.shape[0]):
        outer[i] = i
    for i in range(later.shape[0]):
        open_[0, i >> 6] |= ONE << np.uint64(i & 63)
    count[:] = 0
    if later.shape[0] == 0 and excluded.shape[0] == 0:
        _emit(around, chosen[:0], found)
    _branch(bits, excluded, open_[0], done[0], outer[: left[0]], branch[0])
    level = 0
    while level >= 0 and count[MEMBERS] <= cap:
        w = _first(branch[level])
        if w == width:
            level -= 1
            continue
        bit = branch[level, w] & (~branch[level, w] + ONE)
        v = (w << 6) + lowest(bit)
        chosen[level] = v
        branch[level, w] ^= bit
        open_[level, w] ^= bit
        further = _meet(open_[level], bits[v], open_[level + 1])
        tried = _meet(done[level], bits[v], done[level + 1])
        done[level, w] |= bit
        left[level + 1] = _partition(excluded, outer[: left[level]], w, bit)
        if further:
            level += 1
            _branch(bits, excluded, open_[level], done[level], outer[: left[level]], branch[level])
        elif not tried and left[level + 1] == 0:
            _emit(around, chosen[: level + 1], found)


@njit(cache=True)
def _branch(bits: Any, excluded: Any, open_: Any, done: Any, outer: Any, branch: Any) -> None:
    """Set ``branch`` to the candidates not joined to the pivot, the node joined to most: a clique has one of them."""
    best, pivot = -1, bits[:0]
    for w in range(open_.shape[0]):
        rest = open_[w] | done[w]
        while rest:
            i = (w << 6) + lowest(rest)
            rest &= rest - ONE
            joined = _overlap(open_, bits[i])
            if joined > best:
                best, pivot = joined, bits[i : i + 1]
    for i in outer:
        joined = _overlap(open_, excluded[i])
        if joined > best:
            best, pivot = joined, excluded[i : i + 1]
    for w in range(open_.shape[0]):
        branch[w] = open_[w] & ~pivot[0, w] if best >= 0 else np.uint64(0)


@njit(cache=True)
def _partition(excluded: Any, outer: Any, word: int, bit: Any) -> int:
    """Move the excluded nodes that are joined to the chosen one to the front; return how many they are."""
    count = 0
    for i in range(outer.shape[0]):
        if excluded[outer[i], word] & bit:
            outer[i], outer[count] = outer[count], outer[i]
            count += 1
    return count


@njit(cache=True)
def _emit(around: Around, chosen: Any, found: Found) -> None:
    """Count a clique and, if there are ``ends``, write it, its members ascending."""
    count, members, size = found.count, found.members, chosen.shape[0] + 1
    if found.ends.shape[0]:
        begin = found.ends[0, MEMBERS] + count[MEMBERS]
        members[begin] = around.start
        for i in range(1, size):
            # Invariant: members[begin : begin + i] ascend; the next one is moved down to its place among them.
            node, at = around.later[chosen[i - 1]], begin + i
            while at > begin and members[at - 1] > node:
                members[at] = members[at - 1]
                at -= 1
            members[at] = node
        found.offsets[found.ends[0, CLIQUES] + count[CLIQUES] + 1] = begin + size
    count[CLIQUES] += 1
    count[MEMBERS] += size


@njit(cache=True)
def _first(words: Any) -> int:
    """Return the place of the first word that is not 0, or the number of words."""
    w = 0
    while w < words.shape[0] and words[w] == 0:
        w += 1
    return w


@njit(cache=True)
def _meet(a: Any, b: Any, out: Any) -> Any:
    """Write what two sets share to ``out``; return whether that is anything."""
    any_ = np.uint64(0)
    for w in range(out.shape[0]):
        out[w] = a[w] & b[w]
        any_ |= out[w]
    return any_ != 0


@njit(cache=True)
def _overlap(a: Any, b: Any) -> int:
    count = 0
    for w in range(a.shape[0]):
        count += ones(a[w] & b[w])
    return count
