"""Examples side by side: each thread takes whole groups of examples, with nobody to wait for.

Threads are Python's, for the compiled code needs no interpreter, and nothing has to be compiled a second time for a
parallel loop. A group of examples sums up its own gradient, whoever computes it, so that who takes which group, which
depends on their sizes and on the number of threads, changes no bit.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from numba import get_num_threads

from grapheme.kernels.csr import Offsets
from grapheme.kernels.graph_arrays import GROUP

Work = Callable[[np.ndarray], None]
"""Does some groups of a batch, given by their numbers."""


def groups_of(examples: int) -> int:
    """Return how many groups a batch has."""
    return -(-examples // GROUP)


def on_each_thread(offsets: Offsets, work: Work) -> None:
    """Do all groups of a batch whose examples have these offsets."""
    together([offsets], [work])


def together(offsets: Sequence[Offsets], works: Sequence[Work]) -> None:
    """Do all groups of several batches, given the offsets and the work of each."""
    sizes = [_sizes(each) for each in offsets]
    units = np.array([(batch, group) for batch, each in enumerate(sizes) for group in range(len(each))], np.int64)
    if not len(units):
        return
    threads = min(get_num_threads(), len(units))
    share = _shares(np.concatenate(sizes), threads)

    def run(thread: int) -> None:
        mine = units[share == thread]
        for batch, work in enumerate(works):
            groups = np.ascontiguousarray(mine[mine[:, 0] == batch, 1])
            if len(groups):
                work(groups)

    for _ in _pool(threads).map(run, range(threads)) if threads > 1 else map(run, range(1)):
        pass


def _sizes(offsets: Offsets) -> np.ndarray:
    """Return how many entries (groups,) each group of examples has."""
    return np.diff(np.append(offsets[:-1:GROUP], offsets[-1]))


def _shares(sizes: np.ndarray, threads: int) -> np.ndarray:
    """Return the thread (units,) of each unit: the largest first, each to whoever has least to do (Graham 1969)."""
    share, load = np.zeros(len(sizes), np.int64), [0] * threads
    if threads > 1:
        for unit in np.argsort(-sizes, kind="stable").tolist():
            share[unit] = load.index(min(load))
            load[share[unit]] += int(sizes[unit])
    return share


@functools.cache
def _pool(threads: int) -> ThreadPoolExecutor:
    return ThreadPoolExecutor(threads, thread_name_prefix="grapheme-examples")
