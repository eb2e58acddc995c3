"""k-cliques: from each start node, a search among the nodes after it, held as rows of bits.

A search looks only at nodes that come later, in the order of their numbers, so it meets the cliques in ascending
order and each start node can be given its own place in the result before anything is listed.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import njit, prange

from grapheme.arrays import Ints
from grapheme.kernels.csr import Offsets
from grapheme_numba import schedule, shallow
from grapheme_numba.shallow import TRIANGLES
from grapheme_numba.words import ONE, lowest, ones

WIDE = 4096
"""With more candidates, a search starts from each edge, not the node: rows of bits would be mostly zeros."""

SKEW = 16
"""When one list is so many times longer than another, its members are looked up instead of read through."""

# Constants of a type: of a plain 1 and 2, numba would compile the search twice.
ZERO, FROM_NODE, FROM_EDGE = np.int64(0), np.int64(1), np.int64(2)


class Arcs(NamedTuple):
    """The arcs of each node to later ones."""

    indptr: Any
    """(nodes + 1,)"""
    indices: Any
    """(arcs,): ascending for each node."""


class Tables(NamedTuple):
    """What one thread knows of the candidates of a search."""

    place: Any
    """(nodes,): the place of a node among them; -1, before and after a search, if it is none."""
    degree: Any
    """(nodes,): how many others a candidate, given by its place, is joined to; 0 before and after."""


class Listing(NamedTuple):
    """Where cliques are written; nowhere, if there are no rows."""

    names: Any
    """(nodes,): what each node is called."""
    rows: Any
    """(cliques * k,)"""
    begin: int
    """The row of the next clique; one below 0 is counted, but not written."""
    cap: int
    """How many cliques to find at most."""


def count_cliques(indptr: Offsets, indices: Ints, k: int, first: int, last: int, cap: int) -> Offsets:
    """Count the cliques of each start node."""
    if shallow.suits(indptr, k):
        return shallow.count_cliques(indptr, indices, k, first, last, cap)
    counts, offsets = np.zeros(last - first, np.int64), np.zeros(last - first, np.int64)
    arcs, nowhere = Arcs(indptr, indices), Listing(_NOTHING, _NOTHING, 0, 0)
    reach = np.full(last - first, cap)
    _search_all(arcs, k, first, reach, offsets, nowhere, counts, schedule.decks(len(counts)))
    return counts


def list_cliques(indptr: Offsets, indices: Ints, names: Ints, k: int, first: int, skip: int, wanted: Offsets) -> Ints:
    """List the first cliques of each start node, each node's from the row where those before it end."""
    offsets = np.concatenate([[0], np.cumsum(wanted)])
    rows = np.empty((offsets[-1], k), np.int32)
    reach, counts = wanted.copy(), np.zeros(len(wanted), np.int64)
    reach[:1] += skip
    offsets[0] -= skip  # the cliques to pass over get rows below 0, which are not written
    if len(rows) and shallow.suits(indptr, k):
        shallow.list_cliques(indptr, indices, names, k, first, reach, offsets, rows.reshape(-1))
    elif len(rows):
        arcs, listing = Arcs(indptr, indices), Listing(names, rows.reshape(-1), 0, 0)
        _search_all(arcs, k, first, reach, offsets, listing, counts, schedule.decks(len(wanted)))
    return rows


_NOTHING = np.zeros(0, np.int32)


@schedule.shared
def _search_all(
    arcs: Arcs, k: int, start: int, reach: Any, offsets: Any, listing: Listing, counts: Any, pieces: int
) -> None:
    """Search from the nodes ``start + i`` on, for each entry i of ``reach``.

    Write to ``counts[i]`` how many cliques there are, at most ``reach[i]``, and list them from row ``offsets[i]`` on.
    """
    for piece in prange(pieces):
        _search_some(arcs, k, start, reach, offsets, listing, counts, piece, pieces)


@njit(cache=True)
def _search_some(
    arcs: Arcs, k: int, start: int, reach: Any, offsets: Any, listing: Listing, counts: Any, first: int, step: int
) -> None:
    """Search for every ``step``-th i from ``first`` on: the first nodes have the most to search."""
    nodes = arcs.indptr.shape[0] - 1
    tables = Tables(np.full(nodes, -1, np.int32), np.zeros(nodes, np.int32))
    for i in range(first, reach.shape[0], step):
        if reach[i] > 0:
            own = Listing(listing.names, listing.rows, offsets[i], reach[i])
            counts[i] = _search_from(arcs, k, start + i, tables, own)


@njit(cache=True)
def _later(listing: Listing, found: int) -> Listing:
    """Return where to go on when ``found`` cliques are written."""
    return Listing(listing.names, listing.rows, listing.begin + found, listing.cap - found)


@njit(cache=True)
def _search_from(arcs: Arcs, k: int, start: int, tables: Tables, listing: Listing) -> int:
    """Count or list the cliques with the smallest node ``start``."""
    indptr, indices = arcs
    candidates = indices[indptr[start] : indptr[start + 1]]
    if candidates.shape[0] < k - 1:
        return 0
    if k == TRIANGLES:
        return _triangles(arcs, start, candidates, tables.place, listing)
    clique = np.empty(k, np.int32)
    if listing.rows.shape[0]:
        clique[0] = listing.names[start]
    if candidates.shape[0] <= WIDE:
        return _search(arcs, candidates, clique, FROM_NODE, tables, listing)
    total = 0
    common = np.empty(candidates.shape[0], np.int32)
    for i in range(candidates.shape[0]):
        second = candidates[i]
        if listing.rows.shape[0]:
            clique[1] = listing.names[second]
        count = _common(candidates[i + 1 :], indices[indptr[second] : indptr[second + 1]], common)
        if count >= k - 2 and total < listing.cap:
            total += _search(arcs, common[:count], clique, FROM_EDGE, tables, _later(listing, total))
    return total


@njit(cache=True)
def _triangles(arcs: Arcs, start: int, candidates: Any, place: Any, listing: Listing) -> int:
    """Count or list the triangles of ``start`` and two candidates.

    An arc between candidates is a triangle: there is nothing to search, and no bits are needed.
    """
    indptr, indices = arcs
    count, total = candidates.shape[0], 0
    for candidate in candidates:
        place[candidate] = 0
    for i in range(count):
        second = candidates[i]
        low, high = indptr[second], indptr[second + 1]
        if high - low > SKEW * (count - i):
            for j in range(i + 1, count):
                if _holds(indices, low, high, candidates[j]):
                    total = _triangle(start, second, candidates[j], total, listing)
        elif listing.rows.shape[0]:
            for at in range(low, high):
                third = indices[np.uint64(at)]
                if place[np.uint32(third)] >= 0:
                    total = _triangle(start, second, third, total, listing)
        else:
            for at in range(low, high):
                total += place[np.uint32(indices[np.uint64(at)])] + 1  # no branch, which would be guessed wrong
    for candidate in candidates:
        place[candidate] = -1
    return min(total, listing.cap)


@njit(cache=True, inline="always")
def _triangle(a: int, b: int, c: int, total: int, listing: Listing) -> int:
    """Write a triangle, if it is wanted, and return how many there are now."""
    if total == listing.cap:
        return total
    if listing.rows.shape[0] and listing.begin + total >= 0:
        at = (listing.begin + total) * TRIANGLES
        listing.rows[at] = listing.names[a]
        listing.rows[at + 1] = listing.names[b]
        listing.rows[at + 2] = listing.names[c]
    return total + 1


@njit(cache=True)
def _common(a: Any, b: Any, out: Any) -> int:
    """Write what two ascending lists share to ``out``; return how many."""
    count = 0
    few, many = (a, b) if a.shape[0] < b.shape[0] else (b, a)
    if many.shape[0] > SKEW * few.shape[0]:
        for x in few:
            if _holds(many, ZERO, many.shape[0], x):
                out[count] = x
                count += 1
        return count
    i = j = 0
    while i < a.shape[0] and j < b.shape[0]:
        x, y = a[i], b[j]
        out[count] = x
        count += x == y
        i += x <= y
        j += y <= x
    return count


@njit(cache=True)
def _holds(values: Any, low: int, high: int, wanted: int) -> bool:
    """Return whether ``wanted`` is among the ascending ``values[low:high]``."""
    while low < high:
        middle = (low + high) >> 1
        if values[middle] < wanted:
            low = middle + 1
        elif values[middle] > wanted:
            high = middle
        else:
            return True
    return False


@njit(cache=True)
def _search(arcs: Arcs, members: Any, clique: Any, size: int, tables: Tables, listing: Listing) -> int:
    """Complete the first ``size`` nodes of ``clique`` by ``members``; return how many cliques that makes."""
    width, need = (members.shape[0] + 63) >> 6, clique.shape[0] - size
    # One array and not two, for a search is often so short that making an array takes much of its time.
    words = np.zeros((members.shape[0] + need - 1, width), np.uint64)
    bits, sets = words[: members.shape[0]], words[members.shape[0] :]
    if not _connect(arcs, members, need, tables, bits, sets[0]):
        return 0
    return _descend(members, bits, sets, clique, size, listing)


@njit(cache=True)
def _connect(arcs: Arcs, members: Any, need: int, tables: Tables, bits: Any, useful: Any) -> bool:
    """Set ``bits[i]`` to the members that member i has an arc to, and ``useful`` to those with ``need - 1`` or more.

    Return whether ``need`` members are useful: of others no clique can be made.
    """
    indptr, indices = arcs
    count = members.shape[0]
    place, degree = tables
    for i in range(count):
        place[members[i]] = i
    for i in range(count):
        low, high = indptr[members[i]], indptr[members[i] + 1]
        if high - low > SKEW * (count - i):
            for j in range(i + 1, count):
                if _holds(indices, low, high, members[j]):
                    _join(bits, degree, i, j)
        else:
            for at in range(low, high):
                # Unsigned, for an index that may be below 0 would be looked at twice.
                j = place[np.uint32(indices[np.uint64(at)])]
                if j >= 0:
                    _join(bits, degree, i, j)
    kept = 0
    for i in range(count):
        place[members[i]] = -1
        if degree[i] >= need - 1:
            useful[i >> 6] |= ONE << np.uint64(i & 63)
            kept += 1
        degree[i] = 0
    return kept >= need


@njit(cache=True, inline="always")
def _join(bits: Any, degree: Any, i: int, j: int) -> None:
    bits[i, j >> 6] |= ONE << np.uint64(j & 63)
    degree[i] += 1
    degree[j] += 1


@njit(cache=True)
def _descend(members: Any, bits: Any, sets: Any, clique: Any, size: int, listing: Listing) -> int:
    """Walk through the tree of choices; ``sets[level]`` are the members still to be tried at that level.

    Invariant: every member of ``sets[level]`` is joined to all that were chosen at the levels before.
    """
    width, last = bits.shape[1], clique.shape[0] - size - 2
    word = np.zeros(last + 1, np.int64)
    level = total = 0
    while level >= 0:
        if level == last:
            if listing.rows.shape[0]:
                total += _list_pairs(members, bits, sets[level], word[level], clique, _later(listing, total))
            else:
                total += _count_pairs(bits, sets[level], word[level], listing.cap - total)
            if total == listing.cap:
                return total
            level -= 1
            continue
        w = word[level]
        while w < width and sets[level, w] == 0:
            w += 1
        if w == width:
            level -= 1
            continue
        chosen = (w << 6) + lowest(sets[level, w])
        sets[level, w] &= sets[level, w] - ONE
        word[level] = w
        if listing.rows.shape[0]:
            clique[size + level] = listing.names[members[chosen]]
        left = 0
        for q in range(w, width):
            both = sets[level, q] & bits[chosen, q]
            sets[level + 1, q] = both
            left += ones(both)
        if left > last - level:
            level += 1
            word[level] = w
    return total


@njit(cache=True)
def _count_pairs(bits: Any, open_: Any, word: int, cap: int) -> int:
    """Return how many pairs in the set ``open_``, from a word on, are joined; at most ``cap``.

    The last two choices need no sets of their own.
    """
    total = 0
    for w in range(word, open_.shape[0]):
        rest = open_[w]
        while rest:
            chosen = (w << 6) + lowest(rest)
            rest &= rest - ONE
            for q in range(w, open_.shape[0]):
                total += ones(open_[q] & bits[chosen, q])
        if total >= cap:
            return cap
    return total


@njit(cache=True)
def _list_pairs(members: Any, bits: Any, open_: Any, word: int, clique: Any, listing: Listing) -> int:
    """Write a clique for each joined pair in the set ``open_``, from a word on; return their number."""
    names, rows, k, total = listing.names, listing.rows, clique.shape[0], 0
    for w in range(word, open_.shape[0]):
        rest = open_[w]
        while rest:
            chosen = (w << 6) + lowest(rest)
            rest &= rest - ONE
            clique[k - 2] = names[members[chosen]]
            for q in range(w, open_.shape[0]):
                both = open_[q] & bits[chosen, q]
                while both:
                    at = (listing.begin + total) * k
                    if at >= 0:
                        for c in range(k - 1):
                            rows[at + c] = clique[c]
                        rows[at + k - 1] = names[members[(q << 6) + lowest(both)]]
                    both &= both - ONE
                    total += 1
                    if total == listing.cap:
                        return total
    return total
