"""The compiled pass over grids of bits, 64 cells a word.

A channel's bits, all cells of all samples in order, are one stream of words. The neighbours in one direction are the
stream shifted by a fixed number of bits, but for cells at an edge, which need another shift; masks say which cell takes
which.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import Any

import numpy as np
from numba import get_thread_id, njit, prange

from grapheme.arrays import Ints
from grapheme.kernels.cell import Boundary
from grapheme.kernels.gates import POLYNOMIAL
from grapheme_numba.geometry import neighbours
from grapheme_numba.vectors import WORDS, gate

WORD = 64

MASKS = np.where(POLYNOMIAL, ~np.uint64(0), np.uint64(0))
"""(operations, 4): all bits of a word, or none, for each term of an operation's polynomial."""


@dataclass(frozen=True)
class Shifts:
    """The shifts that make up the nine neighbours.

    Each says ``which (n,)`` neighbour it is part of, by how many ``bits (n,)``, for which cells: ``masks (n, words)``.
    """

    which: Ints
    bits: Ints
    masks: np.ndarray

    @functools.cached_property
    def guard(self) -> int:
        """Words of zeros that a stream needs on either side, so that every shift stays inside."""
        return int(np.abs(self.bits).max()) // WORD + 2


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
    return Shifts(np.array(which, np.int32), np.array(bits, np.int32), np.stack(masks))


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
def _load(values: Any, streams: Any, guard: int, which: Any, bits: Any, masks: Any, start: int) -> None:
    """Fill the input rows of a block with the neighbours of its cells."""
    channels = streams.shape[0]
    values[: 9 * channels] = 0
    for s in range(which.shape[0]):
        offset, turn = bits[s] >> 6, np.uint64(bits[s] & 63)
        for w in range(WORDS):
            mask = masks[s, start + w]
            if mask:
                at = guard + start + w + offset
                for channel in range(channels):
                    word = streams[channel, at] >> turn
                    if turn:
                        word |= streams[channel, at + 1] << (np.uint64(64) - turn)
                    values[which[s] * channels + channel, w] |= word & mask


@njit(cache=True, parallel=True)
def forward(
    streams: Any, new: Any, guard: int, fire: Any, which: Any, bits: Any, masks: Any,
    wires: Any, outputs: Any, polynomials: Any, work: Any,
) -> None:  # fmt: skip
    """Take all cells one step: ``streams`` to ``new (channel, words)`` with guards; ``fire (words,)`` or empty."""
    for block in prange(masks.shape[1] // WORDS):
        values = work[get_thread_id()]
        start = block * WORDS
        _load(values, streams, guard, which, bits, masks, start)
        for g in range(wires.shape[0]):
            gate(values, wires[g, 0], wires[g, 1], wires[g, 2], polynomials, wires[g, 3])
        for channel in range(outputs.shape[0]):
            for w in range(WORDS):
                old, word = streams[channel, guard + start + w], values[outputs[channel], w]
                new[channel, guard + start + w] = old ^ ((old ^ word) & fire[start + w]) if fire.size else word
