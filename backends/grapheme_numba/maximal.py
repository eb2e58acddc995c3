"""Maximal cliques: Bron and Kerbosch with Tomita's pivot, from each node of an order (Eppstein, Loeffler, Strash).

From a start node, the candidates are its neighbours after it and the excluded nodes those before it. Candidates, few
in a good order, are bits; excluded nodes, perhaps many, are a list of rows of bits that shrinks on the way down.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import get_num_threads, get_thread_id, njit, prange

from grapheme.arrays import Ints
from grapheme.kernels.csr import Offsets
from grapheme_numba.cliques import ONE
from grapheme_numba.words import bit_length, lowest, ones, reversed_bits


def maximal_cliques(indptr: Offsets, indices: Ints, order: Ints, cap: int) -> tuple[Offsets, Ints] | None:
    """Count the cliques and members of each start node, then list each node's where those before it end."""
    n = len(order)
    rank = np.empty(n, np.int32)
    rank[order] = np.arange(n, dtype=np.int32)
    place = np.full((get_num_threads(), n), -1, np.int32)
    counts = np.zeros((n, 2), np.int64)
    _search_all(
        indptr, indices, order, rank, cap, place, counts, counts[:0], np.zeros(0, np.int64), np.zeros(0, np.int32)
    )
    ends = np.concatenate([[[0, 0]], np.cumsum(counts, axis=0)])
    if ends[-1, 1] > cap:
        return None
    offsets, members = np.zeros(ends[-1, 0] + 1, np.int64), np.empty(ends[-1, 1], np.int32)
    _search_all(indptr, indices, order, rank, cap, place, counts, ends, offsets, members)
    return offsets, members


@njit(cache=True, parallel=True)
def _search_all(
    indptr: Any,
    indices: Any,
    order: Any,
    rank: Any,
    cap: int,
    places: Any,
    counts: Any,
    ends: Any,
    offsets: Any,
    members: Any,
) -> None:
    """Write the number of cliques and of members of each start node to ``counts (n, 2)``; with ``ends``, list them."""
    n = order.shape[0]
    length = bit_length(max(n - 1, 0))
    for task in prange(1 << length):
        i = reversed_bits(task, length)
        if i < n:
            place = places[get_thread_id()]
            later, bits, excluded = _neighbourhood(indptr, indices, order[i], rank, place)
            _descend(order[i], later, bits, excluded, cap, counts[i], ends[i : i + 1], offsets, members)


@njit(cache=True)
def _neighbourhood(indptr: Any, indices: Any, start: int, rank: Any, place: Any) -> Any:
    """Return the neighbours after ``start``, the bits of each among them, and those of every neighbour before it."""
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
    return later, bits, excluded


@njit(cache=True)
def _fill(indptr: Any, indices: Any, nodes: Any, place: Any, bits: Any) -> None:
    for i in range(nodes.shape[0]):
        for arc in range(indptr[nodes[i]], indptr[nodes[i] + 1]):
            j = place[indices[arc]]
            if j >= 0:
                bits[i, j >> 6] |= ONE << np.uint64(j & 63)


@njit(cache=True)
def _descend(
    start: int, later: Any, bits: Any, excluded: Any, cap: int, count: Any, ends: Any, offsets: Any, members: Any
) -> None:
    """Walk through the tree of choices from one start node.

    Invariant: at each level, ``open``, the candidates, ``done``, the candidates tried before, and ``outer[: left]``,
    the excluded nodes, are joined to every node chosen at the levels before; ``branch`` are the candidates still to
    be tried there.
    """
    most, width = later.shape[0], bits.shape[1]
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
        _emit(start, later, chosen[:0], count, ends, offsets, members)
    _branch(bits, excluded, open_[0], done[0], outer[: left[0]], branch[0])
    level = 0
    while level >= 0 and count[1] <= cap:
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
            _emit(start, later, chosen[: level + 1], count, ends, offsets, members)


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
def _emit(start: int, later: Any, chosen: Any, count: Any, ends: Any, offsets: Any, members: Any) -> None:
    """Count a clique and, if there are ``ends``, write it."""
    size = chosen.shape[0] + 1
    if ends.shape[0]:
        begin = ends[0, 1] + count[1]
        members[begin] = start
        for i in range(1, size):
            node, at = later[chosen[i - 1]], begin + i
            while at > begin and members[at - 1] > node:
                members[at] = members[at - 1]
                at -= 1
            members[at] = node
        offsets[ends[0, 0] + count[0] + 1] = begin + size
    count[0] += 1
    count[1] += size


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
