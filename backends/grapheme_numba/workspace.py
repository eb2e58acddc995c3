"""Scratch memory for compiled passes, aligned to whole cache lines."""

from __future__ import annotations

import threading

import numpy as np

LINE = 64
_of_thread = threading.local()


def kept(name: str, shape: tuple[int, ...], dtype: np.dtype) -> np.ndarray:
    """Return the memory ``name`` of this Python thread: zeros at first, then as its last user left it.

    Kept while shape and type stay the same, for memory fresh from the system costs more than a pass over it.
    """
    memory = getattr(_of_thread, name, None)
    if memory is None or memory.shape != shape or memory.dtype != dtype:
        memory = aligned(shape, dtype)
        memory[...] = 0
        setattr(_of_thread, name, memory)
    return memory


def aligned(shape: tuple[int, ...], dtype: np.dtype) -> np.ndarray:
    """Return memory, whatever is in it, that starts at a cache line; a vector that straddles two lines costs twice."""
    items, spare = int(np.prod(shape)), LINE // dtype.itemsize
    raw = np.empty(items + spare, dtype)
    start = (-raw.ctypes.data % LINE) // dtype.itemsize
    return raw[start : start + items].reshape(shape)
