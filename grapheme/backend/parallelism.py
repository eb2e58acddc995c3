"""How work is spread: the one place that says so, and nothing here ever changes a result."""

from __future__ import annotations

import os
from dataclasses import dataclass

from grapheme.errors import InvalidInputError

THREADS = "GRAPHEME_THREADS"
DEFAULT_MEMORY = 2**30
"""Bytes for one chunk where neither the user nor the backend says otherwise."""


@dataclass(frozen=True)
class Parallelism:
    """Threads for the kernels, and how many samples of a batch they see at once.

    ``parallel_batch=False`` hands samples over in the smallest chunks that keep the sums' order;
    ``samples_at_once`` and ``memory`` (bytes for one chunk; if None, what the backend thinks best) bound a chunk, both
    rounded up to whole blocks of cells.
    """

    threads: int | None = None
    parallel_batch: bool = True
    samples_at_once: int | None = None
    memory: int | None = None

    def __post_init__(self) -> None:
        if self.samples_at_once is not None and self.samples_at_once < 1:
            raise InvalidInputError(f"Give at least 1 sample at once; got {self.samples_at_once}.")
        if self.memory is not None and self.memory < 1:
            raise InvalidInputError(f"Give a positive number of bytes for a chunk; got {self.memory}.")

    def chunk(self, batch: int, bytes_per_sample: int, granularity: int) -> int:
        """Return how many samples to hand over at once: a multiple of ``granularity``, or the whole batch."""
        memory = DEFAULT_MEMORY if self.memory is None else self.memory
        wanted = max(1, memory // max(1, bytes_per_sample)) if self.parallel_batch else 1
        wanted = min(wanted, self.samples_at_once or wanted)
        return min(batch, -(-wanted // granularity) * granularity)


def cores() -> int:
    """Return how many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def thread_count(threads: int | None) -> int:
    """Return ``threads``, else what the environment says, else every core; refuses what cannot be had."""
    wanted = _from_environment() if threads is None else threads
    if not 1 <= wanted <= cores():
        raise InvalidInputError(f"This machine can run 1 to {cores()} threads; got {wanted}.")
    return wanted


def _from_environment() -> int:
    text = os.environ.get(THREADS, "").strip()
    if not text:
        return cores()
    try:
        return int(text)
    except ValueError:
        raise InvalidInputError(f"Set {THREADS} to a whole number; it is '{text}'.") from None
