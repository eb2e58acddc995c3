"""How work is dealt out to threads: cut into pieces here, and run here, by everything in this backend.

There are two ways. What is one compiled loop is ``shared``: several threads of numba's take its pieces, and wait for
each other after it, in a few microseconds. What takes several calls is ``run``: Python's threads take its pieces, and
need no interpreter while they are in compiled functions. Within a piece nothing spreads over threads again, so that
only callers from outside ever enter a parallel loop, one at a time where numba's threads allow no more.

A piece computes the same bits whoever takes it. What is summed is summed within a piece of fixed size (a part of a
grid, a group of examples) and never across threads.
"""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import AbstractContextManager, nullcontext
from types import FunctionType
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numba import config, get_num_threads, njit, set_num_threads, threading_layer

Piece = TypeVar("Piece")
Result = TypeVar("Result")

EVEN = 4
"""With this many pieces for each thread, an uneven division no longer matters."""

HANDS = 4
"""Hands for each thread where sizes are unknown: one that drew light hands takes another, and each costs little."""

WORTH = 5_000
"""Nanoseconds of work for each thread below which waking it costs more than it saves."""


class Hand(NamedTuple):
    """Every ``step``-th piece from ``first`` on, as cards are dealt."""

    first: int
    step: int


def threads() -> int:
    """Return how many threads the caller may use: what the backend was loaded with, and 1 within a piece."""
    return int(get_num_threads())


def shards(batch: int, granularity: int) -> list[slice]:
    """Cut a batch into one shard of whole samples for each thread; into a single one if they would be uneven.

    A shard ends after a multiple of ``granularity`` samples, where a partial sum ends, so the results are the same bits
    either way.
    """
    pieces, count = -(-batch // granularity), threads()
    if pieces < count or (pieces % count and pieces < EVEN * count):
        return [slice(0, batch)]
    size = -(-pieces // count) * granularity
    return [slice(start, min(start + size, batch)) for start in range(0, batch, size)]


def pieces(count: int, nanoseconds: float) -> int:
    """Return into how many pieces to cut ``count`` things of ``nanoseconds`` each, so that each is worth a thread."""
    return max(1, min(threads(), count, int(count * nanoseconds / WORTH)))


@njit(cache=True, inline="always")
def bounds(piece: int, pieces: int, count: int) -> Any:
    """Return the first of ``count`` things that belongs to a piece, and the one after its last."""
    return count * piece // pieces, count * (piece + 1) // pieces


def decks(count: int) -> int:
    """Return into how many pieces to deal things of unknown sizes, every so many-th to the same.

    As with cards, sizes that grow or shrink along the way come out even.
    """
    return 1 if threads() == 1 else max(1, min(HANDS * threads(), count))


def hands(count: int) -> list[Hand]:
    """Deal ``count`` things of unknown sizes for ``run``."""
    step = decks(count)
    return [Hand(first, step) for first in range(step)]


def largest_first(sizes: np.ndarray) -> list[np.ndarray]:
    """Return the pieces of each thread, ascending: the largest first, each to whoever has least to do (Graham 1969)."""
    count = min(threads(), len(sizes))
    share, load = np.zeros(len(sizes), np.int64), [0] * count
    if count > 1:
        for piece in np.argsort(-sizes, kind="stable").tolist():
            share[piece] = load.index(min(load))
            load[share[piece]] += int(sizes[piece])
    return [np.flatnonzero(share == thread) for thread in range(count)]


def shared(loop: Callable[..., None]) -> Callable[..., None]:
    """Compile a function with a loop ``for piece in prange(pieces)``; ``pieces``, its last argument, come from here.

    It is compiled twice, when first needed: for one piece, which any number of Python threads may be in, and for
    several. What threads change must belong to a piece, scratch memory too.
    """
    alone = njit(cache=True, nogil=True)(_renamed(loop))
    together = njit(cache=True, nogil=True, parallel=True)(loop)

    @functools.wraps(loop)
    def enter(*args: Any) -> None:
        if args[-1] == 1:
            alone(*args)
            return
        with _door():
            together(*args)

    return enter


def _renamed(function: Callable[..., None]) -> Callable[..., None]:
    """Return the function under another name, for numba keeps what it compiled by name, whatever the options."""
    assert isinstance(function, FunctionType)
    name = f"{function.__name__}_alone"
    copy = FunctionType(function.__code__, function.__globals__, name, function.__defaults__, function.__closure__)
    copy.__qualname__, copy.__doc__ = name, function.__doc__
    return copy


@functools.cache
def _door() -> AbstractContextManager[Any]:
    """Return what to hold in a parallel loop: the workqueue aborts the process if two Python threads are in one."""
    return threading.Lock() if threading_layer() == "workqueue" else nullcontext()


def run(work: Callable[[Piece], Result], pieces: Sequence[Piece]) -> list[Result]:
    """Return what ``work`` makes of each piece, in order; whoever is free takes the next, the caller among them."""
    count = min(threads(), len(pieces))
    if count <= 1:
        return [work(piece) for piece in pieces]
    results: list[Any] = [None] * len(pieces)
    waiting = enumerate(pieces)  # shared: to take the next one is a single operation of the interpreter

    def take() -> None:
        for place, piece in waiting:
            results[place] = work(piece)

    helpers = [_pool().submit(take) for _ in range(count - 1)]
    try:
        _on_one_thread(take)
    finally:
        _finish(helpers)
    return results


def _on_one_thread(take: Callable[[], None]) -> None:
    """Call ``take`` so that whatever it runs does not spread over threads again."""
    before = get_num_threads()
    set_num_threads(1)  # of this Python thread only
    try:
        take()
    finally:
        set_num_threads(before)


def _finish(helpers: Iterable[Future[None]]) -> None:
    """Wait for all helpers that have begun, then raise what one raised; those that have not are no longer needed."""
    begun = [helper for helper in helpers if not helper.cancel()]
    for error in [helper.exception() for helper in begun]:
        if error is not None:
            raise error


@functools.cache
def _pool() -> ThreadPoolExecutor:
    """Return the threads that help callers; they live as long as the process and always work alone."""
    return ThreadPoolExecutor(max(1, config.NUMBA_NUM_THREADS - 1), "grapheme", set_num_threads, (1,))
