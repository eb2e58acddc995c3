"""Cliques of three and four nodes in graphs of a few thousand: every node has a row of bits for all later ones.

A search so shallow spends most of its time on making rows for the candidates of each start node; here they are made
once. Rows are whole blocks of eight words, which the processor takes at a time.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import njit, prange

from grapheme.arrays import Ints
from grapheme.kernels.csr import Offsets
from grapheme_numba import schedule
from grapheme_numba.words import ONE, lowest, ones

DEEPEST = 4
MOST_NODES = 4096
"""Rows for more nodes do not stay in cache."""

BLOCK = np.uint64(8)
"""Words that a row is made of multiples of: 512 bits, the longest vector there is."""

TRIANGLES = 3


class Rows(NamedTuple):
    """The arcs of each node to later ones, as lists and as sets."""

    indptr: Any
    """(nodes + 1,)"""
    indices: Any
    """(arcs,): ascending for each node."""
    bits: Any
    """(nodes * words,): flat, for an index of one number needs no product."""
    words: int
    """In the row of a node."""


class Wanted(NamedTuple):
    """Which cliques to list, and where."""

    names: Any
    """(nodes,): what each node is called."""
    reach: Any
    """(start nodes,): how many to find at most."""
    offsets: Any
    """(start nodes,): from which row on; rows below 0 are not written."""
    rows: Any
    """(cliques * k,)"""


def suits(indptr: Offsets, k: int) -> bool:
    """Return whether cliques of ``k`` nodes are found faster here."""
    return k <= DEEPEST and len(indptr) - 1 <= MOST_NODES


def count_cliques(indptr: Offsets, indices: Ints, k: int, first: int, last: int, cap: int) -> Offsets:
    """Count the cliques of each start node."""
    graph, counts = _rows(indptr, indices), np.zeros(last - first, np.int64)
    _count_all(graph, k, first, cap, counts, schedule.decks(len(counts)))
    return counts


def list_cliques(
    indptr: Offsets, indices: Ints, names: Ints, k: int, first: int, reach: Offsets, offsets: Offsets, rows: Ints
) -> None:
    """Write the first ``reach[i]`` cliques of each start node to ``rows (n * k,)``, from row ``offsets[i]`` on."""
    graph, wanted = _rows(indptr, indices), Wanted(names, reach, offsets, rows)
    _list_all(graph, k, first, wanted, schedule.decks(len(reach)))


def _rows(indptr: Offsets, indices: Ints) -> Rows:
    nodes = len(indptr) - 1
    words = -(-nodes // 512) * 8
    bits = np.zeros((nodes, words), np.uint64)
    _set_bits(indptr, indices, bits)
    return Rows(indptr, indices, bits.reshape(-1), words)


@njit(cache=True)
def _set_bits(indptr: Any, indices: Any, bits: Any) -> None:
    for node in range(bits.shape[0]):
        for at in range(indptr[node], indptr[node + 1]):
            bits[node, indices[at] >> 6] |= ONE << np.uint64(indices[at] & 63)


@schedule.shared
def _count_all(graph: Rows, k: int, start: int, cap: int, counts: Any, pieces: int) -> None:
    """Count the cliques of the nodes ``start + i`` for each entry i of ``counts``."""
    for piece in prange(pieces):
        _count_some(graph, k, start, cap, counts, piece, pieces)


@njit(cache=True)
def _count_some(graph: Rows, k: int, start: int, cap: int, counts: Any, first: int, step: int) -> None:
    """Count those of every ``step``-th i from ``first`` on."""
    indptr, indices, bits, words = graph
    common = np.empty(words, np.uint64)
    for i in range(first, counts.shape[0], step):
        node, total = start + i, 0
        if k == TRIANGLES:
            _meet(bits, node, node, common)
            total = _count_pairs(bits, common)
        else:
            for at in range(indptr[node], indptr[node + 1]):
                if total < cap and _meet(bits, node, indices[at], common) > 1:
                    total += _count_pairs(bits, common)
        counts[i] = min(total, cap)


@schedule.shared
def _list_all(graph: Rows, k: int, start: int, wanted: Wanted, pieces: int) -> None:
    """List the cliques of the nodes ``start + i`` for each entry i of ``wanted.reach``."""
    for piece in prange(pieces):
        _list_some(graph, k, start, wanted, piece, pieces)


@njit(cache=True)
def _list_some(graph: Rows, k: int, start: int, wanted: Wanted, first: int, step: int) -> None:
    """List those of every ``step``-th i from ``first`` on."""
    indptr, indices, bits, words = graph
    names, reach, offsets, rows = wanted
    common, clique = np.empty(words, np.uint64), np.empty(k - 2, np.int32)
    for i in range(first, reach.shape[0], step):
        node, row, end = start + i, offsets[i], offsets[i] + reach[i]
        if row == end:
            continue
        clique[0] = names[node]
        if k == TRIANGLES:
            _meet(bits, node, node, common)
            row = _list_pairs(bits, common, clique, names, row, end, rows)
        else:
            for at in range(indptr[node], indptr[node + 1]):
                if row < end and _meet(bits, node, indices[at], common) > 1:
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
