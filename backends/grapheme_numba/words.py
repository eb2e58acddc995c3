"""Words of 64 bits as sets: two machine instructions that Python has no name for."""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba.core import types
from numba.extending import intrinsic

ONE = np.uint64(1)
"""Of the type of a word: a shift of a plain 1 would be signed."""


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
