"""The compiled pass over grids of bits, 64 cells a word.

A channel's bits, all cells of all samples in order, are one stream of words. The neighbours in one direction are the
stream shifted by a fixed number of bits, but for cells at an edge, which need another shift; masks say which cell takes
which.
"""

from __future__ import annotations

import functools
from typing import Any, NamedTuple

import numpy as np
from numba import njit, prange

from grapheme.arrays import Ints
from grapheme.kernels.cell import Boundary
from grapheme.kernels.gates import POLYNOMIAL
from grapheme_numba.geometry import neighbours
from grapheme_numba.registers import OUT, PARAM, A, B, Forward
from grapheme_numba.schedule import bounds, shared
from grapheme_numba.vectors import WORDS, gate

WORD = 64

MASKS = np.where(POLYNOMIAL, ~np.uint64(0), np.uint64(0))
"""(operations, 4): all bits of a word, or none, for each term of an operation's polynomial."""


class Shifts(NamedTuple):
    """The shifts that make up the nine neighbours."""

    which: Ints
    """(n,): the neighbour that each shift is part of, ascending."""
    bits: Ints
    """(n,): by how many bits the stream is shifted."""
    masks: np.ndarray
    """(n, words): for which cells."""
    guard: int
    """Words of zeros that a stream needs on either side, so that every shift stays inside."""


@functools.lru_cache(maxsize=16)
def shifts(batch: int, height: int, width: int, boundary: Boundary) -> Shifts:
    """Return the shifts of a batch of grids, kept for the shapes used last."""
    which, bits, masks = [], [], []
    for p, table in enumerate(neighbours(height, width, boundary)):
        distance = table - np.arange(height * width)
        for step in np.unique(distance[table >= 0]):
            which.append(p)
            bits.append(step)
            masks.append(pack(np.tile((table >= 0) & (distance == step), (1, batch)), 0)[0])
    # A shift reads the word that it begins in, and the one after it.
    guard = int(np.abs(bits).max()) // WORD + 2
    return Shifts(np.array(which, np.int32), np.array(bits, np.int32), np.stack(masks), guard)


def pack(streams: np.ndarray, guard: int) -> np.ndarray:
    """Return bits ``(n, cells)`` as words ``(n, words)``: whole blocks, and ``guard`` zero words on either side."""
    count, cells = streams.shape
    words = -(-cells // (WORD * WORDS)) * WORDS
    packed = np.zeros((count, words + 2 * guard), np.uint64)
    packed_bytes = np.packbits(streams, axis=1, bitorder="little")
    packed[:, guard : guard + words].view(np.uint8)[:, : packed_bytes.shape[1]] = packed_bytes
    return packed


def unpack(packed: np.ndarray, guard: int, cells: int) -> np.ndarray:
    """Return the bits ``(n, cells)`` of words that ``pack`` made."""
    inner = np.ascontiguousarray(packed[:, guard : packed.shape[1] - guard]).view(np.uint8)
    return np.unpackbits(inner, axis=1, count=cells, bitorder="little").view(np.bool_)


@njit(cache=True)
def _load(values: Any, streams: Any, shifts: Shifts, start: int) -> None:
    """Fill the input rows of a block with the neighbours of its cells."""
    channels = streams.shape[0]
    values[: 9 * channels] = 0
    for s in range(shifts.which.shape[0]):
        # A shift by n bits is one by whole words, then one within a word (>> rounds down, so both fit any sign).
        offset, turn = shifts.bits[s] >> 6, np.uint64(shifts.bits[s] & 63)
        for w in range(WORDS):
            mask = shifts.masks[s, start + w]
            if mask:
                at = shifts.guard + start + w + offset
                for channel in range(channels):
                    word = streams[channel, at] >> turn
                    if turn:  # a word cannot be shifted by all its bits
                        word |= streams[channel, at + 1] << (np.uint64(64) - turn)
                    values[shifts.which[s] * channels + channel, w] |= word & mask


@shared
def forward(
    now: Any, new: Any, fire: Any, shifts: Shifts, rows: Forward, polynomials: Any, work: Any, pieces: int
) -> None:
    """Take all cells a step: ``now`` to ``new (channel, words)``, both with guards.

    ``fire (words,)`` is empty if all cells update; ``work (pieces, rows, WORDS)`` is scratch.
    """
    for piece in prange(pieces):
        first, last = bounds(piece, pieces, shifts.masks.shape[1] // WORDS)
        for block in range(first, last):
            _step(now, new, fire, shifts, rows, polynomials, work[piece], block * WORDS)


@njit(cache=True)
def _step(
    now: Any, new: Any, fire: Any, shifts: Shifts, rows: Forward, polynomials: Any, values: Any, start: int
) -> None:
    """Take the block of words from ``start`` on a step."""
    gates, outputs = rows
    _load(values, now, shifts, start)
    for g in range(gates.shape[0]):
        gate(values, gates[g, A], gates[g, B], gates[g, OUT], polynomials, gates[g, PARAM])
    for channel in range(outputs.shape[0]):
        for w in range(WORDS):
            at = shifts.guard + start + w
            old, word = now[channel, at], values[outputs[channel], w]
            new[channel, at] = old ^ ((old ^ word) & fire[start + w]) if fire.size else word
