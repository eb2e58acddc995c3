"""Large grids of bits, row by row: threads share out the rows, machine code made for the circuit takes each a step.

A row of a channel is words of 64 cells between margins. The bit before the first cell and the one behind the last hold
what lies beyond the edge, so that the neighbours to the left and right are plain shifts, at any width.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import njit, prange, types
from numba.extending import intrinsic

from grapheme.arrays import Bits
from grapheme.kernels.cell import Boundary
from grapheme.kernels.netlist import Netlist
from grapheme_numba.registers import allocate
from grapheme_numba.schedule import bounds, shared
from grapheme_numba.schedule import pieces as pieces_of
from grapheme_numba.straight import POINTER, SIGNATURE, compiled
from grapheme_numba.workspace import aligned

WORD = 64
LANES = (8, 4, 2, 1)
"""Words that are worked on at once: the most that a row fills."""

GATES_A_NANOSECOND = 16
"""Gates on a word, measured roughly; it decides only how many threads a step is worth."""

LOADS = 30
"""Gates that take as long as loading and storing a channel: its nine neighbours, six of which are shifted."""


class Shape(NamedTuple):
    """How rows of words are to be read."""

    height: int
    """Rows of a grid."""
    width: int
    """Cells of a row."""
    lanes: int
    """Words of a margin, which are those that are worked on at once."""
    periodic: bool


def rollout(netlist: Netlist, codes: np.ndarray, bits: Bits, steps: int, boundary: Boundary, fire: Bits | None) -> Bits:
    """Return the grids of bits after ``steps`` hard steps."""
    batch, channels, height, width = bits.shape
    words = -(-width // WORD)
    lanes = next(n for n in LANES if n <= words)
    code = compiled(netlist, codes, lanes, fire is not None)
    shape = Shape(height, width, lanes, boundary == "periodic")
    now = _pack(bits.swapaxes(1, 2).reshape(batch * height, channels, width), lanes)
    new = np.zeros_like(now)
    close(now, shape)
    gates = len(allocate(netlist).live) + LOADS * channels
    pieces = pieces_of(batch * height, words * gates / GATES_A_NANOSECOND)
    for t in range(steps):
        fired = now[:0, 0] if fire is None else _pack(fire[t].reshape(batch * height, 1, width), lanes)[:, 0]
        forward(code.address, now, new, fired, shape, pieces)
        now, new = new, now
    return np.ascontiguousarray(_unpack(now, width, lanes).reshape(batch, height, channels, width).swapaxes(1, 2))


def _pack(rows: Bits, lanes: int) -> np.ndarray:
    """Return bits (rows, channels, width) as words (rows + 1, channels, words), with margins; the last row is zeros."""
    count, channels, width = rows.shape
    inner = -(-width // (WORD * lanes)) * lanes
    packed = aligned((count + 1, channels, inner + 2 * lanes), np.dtype(np.uint64))
    packed[...] = 0
    content = np.packbits(rows, axis=2, bitorder="little")
    packed.view(np.uint8)[:count, :, 8 * lanes : 8 * lanes + content.shape[2]] = content
    return packed


def _unpack(packed: np.ndarray, width: int, lanes: int) -> Bits:
    inner = packed[:-1, :, lanes:].view(np.uint8)
    return np.unpackbits(inner, axis=2, count=width, bitorder="little").view(np.bool_)


@intrinsic
def _call(
    typing: Any, address: Any, above: Any, row: Any, below: Any, new: Any, fire: Any, stride: Any, words: Any
) -> Any:
    """Call the machine code at ``address`` with the addresses of words."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        function, *given = args
        kinds = zip(given, SIGNATURE.args, strict=True)
        values = [builder.inttoptr(arg, kind) if kind == POINTER else arg for arg, kind in kinds]
        builder.call(builder.inttoptr(function, SIGNATURE.as_pointer()), values)
        return context.get_dummy_value()

    return types.void(*[types.int64] * 8), generate


@njit(cache=True)
def _close_row(row: Any, shape: Shape) -> None:
    """Write what lies beyond the edges of a row (channels, words)."""
    width, lanes = shape.width, shape.lanes
    last, tail = lanes + ((width - 1) >> 6), np.uint64(width & 63)
    for channel in range(row.shape[0]):
        line = row[channel]
        left = line[lanes] & np.uint64(1) if shape.periodic else np.uint64(0)
        right = line[last] >> np.uint64((width - 1) & 63) & np.uint64(1) if shape.periodic else np.uint64(0)
        if tail:
            line[last] = (line[last] & ((np.uint64(1) << tail) - np.uint64(1))) | (left << tail)
        else:
            line[last + 1] = left
        line[lanes - 1] = right << np.uint64(63)


@njit(cache=True)
def close(rows: Any, shape: Shape) -> None:
    """Write what lies beyond the edges of all rows but the last, which is outside the grid."""
    for y in range(rows.shape[0] - 1):
        _close_row(rows[y], shape)


@shared
def forward(address: int, now: Any, new: Any, fire: Any, shape: Shape, pieces: int) -> None:
    """Take all rows of ``now (rows + 1, channels, words)`` a step, into ``new``; ``address`` is that of machine code.

    ``fire (rows + 1, words)`` is empty if all cells update. Row ``rows``, all zeros, is what lies outside.
    """
    for piece in prange(pieces):
        first, last = bounds(piece, pieces, now.shape[0] - 1)
        _forward(address, now, new, fire, shape, first, last)


@njit(cache=True)
def _forward(address: int, now: Any, new: Any, fire: Any, shape: Shape, first: int, last: int) -> None:
    """Take the rows ``first`` to ``last - 1`` a step."""
    rows, channels, stride = now.shape[0] - 1, now.shape[1], now.shape[2]
    height, margin, pitch = shape.height, 8 * shape.lanes, 8 * channels * stride  # in bytes
    words = (shape.width + 63) >> 6
    start, target, mask = now.ctypes.data + margin, new.ctypes.data + margin, fire.ctypes.data + margin
    for index in range(first, last):
        y = index % height
        above = index - 1 if y > 0 else (index + height - 1 if shape.periodic else rows)
        below = index + 1 if y < height - 1 else (index - height + 1 if shape.periodic else rows)
        _call(
            address, start + above * pitch, start + index * pitch, start + below * pitch,
            target + index * pitch, mask + index * 8 * stride, stride, words,
        )  # fmt: skip
        _close_row(new[index], shape)
