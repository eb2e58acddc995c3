"""Words of bits: as sets, two machine instructions that Python has no name for; as numbers, length and reverse."""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import njit
from numba.core import types
from numba.extending import intrinsic


@intrinsic
def lowest(typing: Any, word: Any) -> Any:
    """Return the place, int64, of the lowest bit that is set in a uint64; 64 if none is."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.cttz(args[0], ir.Constant(ir.IntType(1), 0))

    return types.int64(types.uint64), generate


@intrinsic
def ones(typing: Any, word: Any) -> Any:
    """Return how many bits, int64, of a uint64 are set."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.ctpop(args[0])

    return types.int64(types.uint64), generate


@njit(cache=True)
def reversed_bits(number: int, length: int) -> int:
    """Return the lowest ``length`` bits of a number in reverse order."""
    result = 0
    for _ in range(length):
        result = (result << 1) | (number & 1)
        number >>= 1
    return result


@njit(cache=True)
def bit_length(number: int) -> int:
    """Return how many bits a number has."""
    length = 0
    while number >> length:
        length += 1
    return length
