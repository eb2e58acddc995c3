"""k-cliques: from each start node, a search among the nodes after it, held as rows of bits.

A search looks only at nodes that come later, in the order of their numbers, so it meets the cliques in ascending
order and each start node can be given its own place in the result before anything is listed.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import get_num_threads, get_thread_id, njit, prange

from grapheme.arrays import Ints
from grapheme.kernels.csr import Offsets
from grapheme_numba import shallow
from grapheme_numba.words import bit_length, lowest, ones, reversed_bits

WIDE = 4096
"""With more candidates, a search starts from each edge, not the node: rows of bits would be mostly zeros."""

SKEW = 16
"""When one list is so many times longer than another, its members are looked up instead of read through."""

ONE = np.uint64(1)

# Constants of a type: of a plain 1 and 2, numba would compile the search twice.
ZERO, FROM_NODE, FROM_EDGE = np.int64(0), np.int64(1), np.int64(2)


def count_cliques(indptr: Offsets, indices: Ints, k: int, first: int, last: int, cap: int) -> Offsets:
    """Count the cliques of each start node."""
    if shallow.suits(indptr, k):
        return shallow.count_cliques(indptr, indices, k, first, last, cap)
    counts = np.zeros(last - first, np.int64)
    nothing = np.zeros(0, np.int64)
    _search_all(
        indptr, indices, k, first, np.full(last - first, cap), _tables(indptr), counts, nothing, _NO_NAMES, _NO_ROWS
    )
    return counts


def list_cliques(indptr: Offsets, indices: Ints, names: Ints, k: int, first: int, skip: int, wanted: Offsets) -> Ints:
    """List the first cliques of each start node, each node's from the row where those before it end."""
    offsets = np.concatenate([[0], np.cumsum(wanted)])
    rows = np.empty((offsets[-1], k), np.int32)
    reach = wanted.copy()
    reach[:1] += skip
    offsets[0] -= skip  # the cliques to pass over get rows below 0, which are not written
    if len(rows) and shallow.suits(indptr, k):
        shallow.list_cliques(indptr, indices, names, k, first, reach, offsets, rows.reshape(-1))
    elif len(rows):
        _search_all(
            indptr,
            indices,
            k,
            first,
            reach,
            _tables(indptr),
            np.zeros(len(wanted), np.int64),
            offsets,
            names,
            rows.reshape(-1),
        )
    return rows


_NO_NAMES = np.zeros(0, np.int32)
_NO_ROWS = np.zeros(0, np.int32)


def _tables(indptr: Offsets) -> Ints:
    """Return for each thread the place (nodes,) of a node among candidates, all -1, and the degree there, all 0."""
    tables = np.zeros((get_num_threads(), 2, len(indptr) - 1), np.int32)
    tables[:, 0] = -1
    return tables


@njit(cache=True, parallel=True)
def _search_all(
    indptr: Any,
    indices: Any,
    k: int,
    first: int,
    wanted: Any,
    tables: Any,
    counts: Any,
    offsets: Any,
    names: Any,
    rows: Any,
) -> None:
    """Search from ``first`` on, as many start nodes as ``wanted`` has; list into ``rows``, if any, else count.

    A thread takes tasks in a row, and the first nodes have the most to search: in the reverse order of its bits,
    every row of tasks is spread evenly over the nodes.
    """
    n = wanted.shape[0]
    length = bit_length(max(n - 1, 0))
    for task in prange(1 << length):
        i = reversed_bits(task, length)
        if i < n and wanted[i] > 0:
            begin = offsets[i] if offsets.shape[0] else 0
            counts[i] = _search_from(
                indptr, indices, k, first + i, wanted[i], tables[get_thread_id()], begin, names, rows
            )


@njit(cache=True)
def _search_from(
    indptr: Any, indices: Any, k: int, start: int, cap: int, tables: Any, begin: int, names: Any, rows: Any
) -> int:
    """Count or list the cliques with the smallest node ``start``; at most ``cap``, from row ``begin`` on."""
    candidates = indices[indptr[start] : indptr[start + 1]]
    if candidates.shape[0] < k - 1:
        return 0
    if k == 3:
        return _triangles(indptr, indices, start, candidates, cap, tables[0], begin, names, rows)
    clique = np.empty(k, np.int32)
    if rows.shape[0]:
        clique[0] = names[start]
    if candidates.shape[0] <= WIDE:
        return _search(indptr, indices, k, candidates, clique, FROM_NODE, cap, tables, begin, names, rows)
    total = 0
    common = np.empty(candidates.shape[0], np.int32)
    for i in range(candidates.shape[0]):
        second = candidates[i]
        if rows.shape[0]:
            clique[1] = names[second]
        count = _common(candidates[i + 1 :], indices[indptr[second] : indptr[second + 1]], common)
        if count >= k - 2 and total < cap:
            total += _search(
                indptr, indices, k, common[:count], clique, FROM_EDGE, cap - total, tables, begin + total, names, rows
            )
    return total


@njit(cache=True)
def _triangles(
    indptr: Any, indices: Any, start: int, candidates: Any, cap: int, place: Any, begin: int, names: Any, rows: Any
) -> int:
    """Count or list the triangles of ``start`` and two candidates; at most ``cap``, from row ``begin`` on.

    An arc between candidates is a triangle: there is nothing to search, and no bits are needed.
    """
    count, total = candidates.shape[0], 0
    for candidate in candidates:
        place[candidate] = 0
    for i in range(count):
        second = candidates[i]
        low, high = indptr[second], indptr[second + 1]
        if high - low > SKEW * (count - i):
            for j in range(i + 1, count):
                if _holds(indices, low, high, candidates[j]):
                    total = _triangle(start, second, candidates[j], cap, total, begin, names, rows)
        elif rows.shape[0]:
            for at in range(low, high):
                third = indices[np.uint64(at)]
                if place[np.uint32(third)] >= 0:
                    total = _triangle(start, second, third, cap, total, begin, names, rows)
        else:
            for at in range(low, high):
                total += place[np.uint32(indices[np.uint64(at)])] + 1  # no branch, which would be guessed wrong
    for candidate in candidates:
        place[candidate] = -1
    return min(total, cap)


@njit(cache=True, inline="always")
def _triangle(a: int, b: int, c: int, cap: int, total: int, begin: int, names: Any, rows: Any) -> int:
    """Write a triangle, if it is wanted, and return how many there are now."""
    if total == cap:
        return total
    if rows.shape[0] and begin + total >= 0:
        at = (begin + total) * 3
        rows[at], rows[at + 1], rows[at + 2] = names[a], names[b], names[c]
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
def _search(
    indptr: Any, indices: Any, k: int, members: Any, clique: Any, size: int, cap: int,
    tables: Any, begin: int, names: Any, rows: Any,
) -> int:  # fmt: skip
    """Complete the first ``size`` nodes of ``clique`` by ``members``; return how many cliques that makes."""
    width = (members.shape[0] + 63) >> 6
    words = np.zeros((members.shape[0] + k - size - 1, width), np.uint64)
    bits, sets = words[: members.shape[0]], words[members.shape[0] :]
    if not _connect(indptr, indices, members, k - size, tables, bits, sets[0]):
        return 0
    return _descend(members, bits, sets, clique, k, size, cap, begin, names, rows)


@njit(cache=True)
def _connect(indptr: Any, indices: Any, members: Any, need: int, tables: Any, bits: Any, useful: Any) -> bool:
    """Set ``bits[i]`` to the members that member i has an arc to, and ``useful`` to those with ``need - 1`` or more.

    Return whether ``need`` members are useful: of others no clique can be made.
    """
    count = members.shape[0]
    place, degree = tables[0], tables[1]
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
def _descend(
    members: Any, bits: Any, sets: Any, clique: Any, k: int, size: int, cap: int, begin: int, names: Any, rows: Any
) -> int:
    """Walk through the tree of choices; ``sets[level]`` are the members still to be tried at that level.

    Invariant: every member of ``sets[level]`` is joined to all that were chosen at the levels before.
    """
    width, last = bits.shape[1], k - size - 2
    word = np.zeros(last + 1, np.int64)
    level = total = 0
    while level >= 0:
        if level == last:
            if rows.shape[0]:
                total = _list_pairs(members, bits, sets, level, word[level], clique, k, cap, begin, total, names, rows)
            else:
                total = _count_pairs(bits, sets, level, word[level], cap, total)
            if total == cap:
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
        if rows.shape[0]:
            clique[size + level] = names[members[chosen]]
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
def _count_pairs(bits: Any, sets: Any, level: int, word: int, cap: int, total: int) -> int:
    """Return ``total`` and one for each joined pair in ``sets[level]``: the last two choices need no sets."""
    for w in range(word, sets.shape[1]):
        rest = sets[level, w]
        while rest:
            chosen = (w << 6) + lowest(rest)
            rest &= rest - ONE
            for q in range(w, sets.shape[1]):
                total += ones(sets[level, q] & bits[chosen, q])
        if total >= cap:
            return cap
    return total


@njit(cache=True)
def _list_pairs(
    members: Any, bits: Any, sets: Any, level: int, word: int, clique: Any, k: int, cap: int, begin: int, total: int,
    names: Any, rows: Any,
) -> int:  # fmt: skip
    """Write a clique for each joined pair in ``sets[level]``; return ``total`` and their number, at most ``cap``."""
    for w in range(word, sets.shape[1]):
        rest = sets[level, w]
        while rest:
            chosen = (w << 6) + lowest(rest)
            rest &= rest - ONE
            clique[k - 2] = names[members[chosen]]
            for q in range(w, sets.shape[1]):
                both = sets[level, q] & bits[chosen, q]
                while both:
                    at = (begin + total) * k
                    if at >= 0:
                        for c in range(k - 1):
                            rows[at + c] = clique[c]
                        rows[at + k - 1] = names[members[(q << 6) + lowest(both)]]
                    both &= both - ONE
                    total += 1
                    if total == cap:
                        return total
    return total
