"""Examples side by side: each thread takes whole groups of examples, with nobody to wait for.

Threads are Python's, for the compiled code needs no interpreter, and nothing has to be compiled a second time for a
parallel loop. A group of examples sums up its own gradient, whoever computes it.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from numba import get_num_threads

from grapheme.graph_arrays import GROUP

T = TypeVar("T")
Work = Callable[[int, int], None]
"""Does the groups ``first``, ``first + step``, ... of a batch."""


def groups_of(examples: int) -> int:
    """Return how many groups a batch has."""
    return -(-examples // GROUP)


def on_each_thread(examples: int, work: Callable[[int, int], None]) -> None:
    """Call ``work(first, step)`` on each thread, so that together they take every ``step``-th group from all."""
    threads = max(1, min(get_num_threads(), groups_of(examples)))
    if threads == 1:
        work(0, 1)
        return
    for _ in _pool(threads).map(lambda first: work(first, threads), range(threads)):
        pass


def share_out(units: Sequence[T], work: Callable[[T], None]) -> None:
    """Call ``work`` on all units, each on whichever thread is free; no unit may need another."""
    threads = max(1, min(get_num_threads(), len(units)))
    for _ in _pool(threads).map(work, units) if threads > 1 else map(work, units):
        pass


@functools.cache
def _pool(threads: int) -> ThreadPoolExecutor:
    return ThreadPoolExecutor(threads, thread_name_prefix="grapheme-examples")
