"""Scratch memory for compiled passes, aligned to whole cache lines."""

from __future__ import annotations

import numpy as np

LINE = 64


def aligned(shape: tuple[int, ...], dtype: np.dtype) -> np.ndarray:
    """Return memory, whatever is in it, that starts at a cache line; a vector that straddles two lines costs twice."""
    items, spare = int(np.prod(shape)), LINE // dtype.itemsize
    raw = np.empty(items + spare, dtype)
    start = (-raw.ctypes.data % LINE) // dtype.itemsize
    return raw[start : start + items].reshape(shape)
