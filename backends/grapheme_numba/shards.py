"""Samples side by side: each thread takes whole samples through all steps, with nobody to wait for in between."""

from __future__ import annotations

import functools
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from numba import get_num_threads, set_num_threads

T = TypeVar("T")

ENOUGH = 4
"""With so many pieces a thread, an uneven division no longer matters."""


def on_each_shard(batch: int, granularity: int, work: Callable[[slice], T]) -> list[T]:
    """Return what ``work`` makes of each shard of a batch, in order; one shard on all threads if they would be uneven.

    A shard ends where a partial sum ends, so the results are the same bits either way.
    """
    threads = get_num_threads()
    pieces = -(-batch // granularity)
    if threads == 1 or pieces < threads or (pieces % threads and pieces < ENOUGH * threads):
        return [work(slice(0, batch))]
    size = -(-pieces // threads) * granularity
    shards = [slice(start, min(start + size, batch)) for start in range(0, batch, size)]
    return list(_pool(threads).map(lambda shard: _alone(work, shard), shards))


def _alone(work: Callable[[slice], T], shard: slice) -> T:
    set_num_threads(1)  # of this Python thread only
    return work(shard)


@functools.cache
def _pool(threads: int) -> ThreadPoolExecutor:
    return ThreadPoolExecutor(threads, thread_name_prefix="grapheme")
