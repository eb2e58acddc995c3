"""Cliques of three and four nodes in graphs of a few thousand: every node has a row of bits for all later ones.

A search so shallow spends most of its time on making rows for the candidates of each start node; here they are made
once. Rows are whole blocks of eight words, which the processor takes at a time.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import get_num_threads, get_thread_id, njit, prange

from grapheme.arrays import Ints
from grapheme.kernels.csr import Offsets
from grapheme_numba.words import bit_length, lowest, ones, reversed_bits

DEEPEST = 4
MOST_NODES = 4096
"""Rows for more nodes do not stay in cache."""

BLOCK = np.uint64(8)
ONE = np.uint64(1)
TRIANGLES = 3


def suits(indptr: Offsets, k: int) -> bool:
    """Return whether cliques of ``k`` nodes are found faster here."""
    return k <= DEEPEST and len(indptr) - 1 <= MOST_NODES


def count_cliques(indptr: Offsets, indices: Ints, k: int, first: int, last: int, cap: int) -> Offsets:
    """Count the cliques of each start node."""
    bits = _rows(indptr, indices)
    counts = np.zeros(last - first, np.int64)
    _count_all(indptr, indices, bits.reshape(-1), k, first, cap, _sets(bits), counts)
    return counts


def list_cliques(
    indptr: Offsets, indices: Ints, names: Ints, k: int, first: int, reach: Offsets, offsets: Offsets, rows: Ints
) -> None:
    """Write the first ``reach[i]`` cliques of each start node to ``rows (n * k,)``, from row ``offsets[i]`` on."""
    bits = _rows(indptr, indices)
    _list_all(indptr, indices, bits.reshape(-1), names, k, first, reach, offsets, _sets(bits), rows)


def _rows(indptr: Offsets, indices: Ints) -> np.ndarray:
    nodes = len(indptr) - 1
    bits = np.zeros((nodes, (nodes + 511) // 512 * 8), np.uint64)
    _set_bits(indptr, indices, bits)
    return bits


def _sets(bits: np.ndarray) -> np.ndarray:
    """Return room for a set of nodes for each thread."""
    return np.empty((get_num_threads(), bits.shape[1]), np.uint64)


@njit(cache=True)
def _set_bits(indptr: Any, indices: Any, bits: Any) -> None:
    for node in range(bits.shape[0]):
        for at in range(indptr[node], indptr[node + 1]):
            bits[node, indices[at] >> 6] |= ONE << np.uint64(indices[at] & 63)


@njit(cache=True, parallel=True)
def _count_all(indptr: Any, indices: Any, bits: Any, k: int, first: int, cap: int, sets: Any, counts: Any) -> None:
    n = counts.shape[0]
    length = bit_length(max(n - 1, 0))
    for task in prange(1 << length):
        i = reversed_bits(task, length)
        if i < n:
            common, start, total = sets[get_thread_id()], first + i, 0
            if k == TRIANGLES:
                _meet(bits, start, start, common)
                total = _count_pairs(bits, common)
            else:
                for at in range(indptr[start], indptr[start + 1]):
                    if total < cap and _meet(bits, start, indices[at], common) > 1:
                        total += _count_pairs(bits, common)
            counts[i] = min(total, cap)


@njit(cache=True, parallel=True)
def _list_all(
    indptr: Any, indices: Any, bits: Any, names: Any, k: int, first: int, reach: Any, offsets: Any, sets: Any, rows: Any
) -> None:
    n = reach.shape[0]
    length = bit_length(max(n - 1, 0))
    for task in prange(1 << length):
        i = reversed_bits(task, length)
        if i < n and reach[i] > 0:
            common, start = sets[get_thread_id()], first + i
            clique = np.empty(k - 2, np.int32)
            clique[0] = names[start]
            row, end = offsets[i], offsets[i] + reach[i]
            if k == TRIANGLES:
                _meet(bits, start, start, common)
                row = _list_pairs(bits, common, clique, names, row, end, rows)
            else:
                for at in range(indptr[start], indptr[start + 1]):
                    if row < end and _meet(bits, start, indices[at], common) > 1:
                        clique[1] = names[indices[at]]
                        row = _list_pairs(bits, common, clique, names, row, end, rows)


@njit(cache=True)
def _meet(bits: Any, a: int, b: int, common: Any) -> int:
    """Write the later nodes that both are joined to, and return how many."""
    width = np.uint64(common.shape[0])
    one, other, total = np.uint64(a) * width, np.uint64(b) * width, 0
    for block in range(common.shape[0] >> 3):
        at = np.uint64(block) * BLOCK
        for q in range(8):
            word = bits[one + at + np.uint64(q)] & bits[other + at + np.uint64(q)]
            common[at + np.uint64(q)] = word
            total += ones(word)
    return total


@njit(cache=True, inline="always")
def _in_both(bits: Any, row: Any, common: Any, at: Any) -> int:
    """Return how many nodes of a block are in a row and in a set."""
    total = 0
    for q in range(8):
        total += ones(bits[row + at + np.uint64(q)] & common[at + np.uint64(q)])
    return total


@njit(cache=True, inline="always")
def _meets(bits: Any, row: Any, common: Any, at: Any) -> bool:
    """Return whether a row and a set share a node of a block."""
    shared = np.uint64(0)
    for q in range(8):
        shared |= bits[row + at + np.uint64(q)] & common[at + np.uint64(q)]
    return shared != np.uint64(0)


@njit(cache=True)
def _count_pairs(bits: Any, common: Any) -> int:
    """Return how many pairs of a set are joined."""
    width, total = np.uint64(common.shape[0]), 0
    for w in range(common.shape[0]):
        rest = common[w]
        while rest:
            row = np.uint64((w << 6) + lowest(rest)) * width
            rest &= rest - ONE
            at = np.uint64(w) & ~(BLOCK - ONE)
            while at < width:
                total += _in_both(bits, row, common, at)
                at += BLOCK
    return total


@njit(cache=True)
def _list_pairs(bits: Any, common: Any, clique: Any, names: Any, number: int, end: int, rows: Any) -> int:
    """Write a clique for each joined pair of a set, from row ``number`` to ``end``, none below 0; return the next."""
    width = np.uint64(common.shape[0])
    for w in range(common.shape[0]):
        rest = common[w]
        while rest:
            node = (w << 6) + lowest(rest)
            rest &= rest - ONE
            row, at = np.uint64(node) * width, np.uint64(w) & ~(BLOCK - ONE)
            while at < width:
                if _meets(bits, row, common, at):
                    for q in range(at, at + BLOCK):
                        both = bits[row + q] & common[q]
                        while both and number < end:
                            if number >= 0:
                                _write(rows, number, clique, names[node], names[(q << np.uint64(6)) + lowest(both)])
                            both &= both - ONE
                            number += 1
                at += BLOCK
            if number == end:
                return number
    return number


@njit(cache=True, inline="always")
def _write(rows: Any, number: int, clique: Any, third: int, last: int) -> None:
    at = number * (clique.shape[0] + 2)
    for c in range(clique.shape[0]):
        rows[at + c] = clique[c]
    rows[at + clique.shape[0]], rows[at + clique.shape[0] + 1] = third, last
