"""Where time goes: named sections that cost nothing unless somebody records them.

Training names them "forward", "loss", "backward", "merge" (partial sums of gradients are added up), "update" (of the
parameters) and "validation", whatever is trained; beside these a family may have others of its own.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from contextvars import ContextVar
from typing import final

Mark = Callable[[str], AbstractContextManager[None]]
"""Marks a stretch of a thread's work by its name."""


@final
class _Recorder:
    """The seconds of each section, and those of the sections that have ended inside the one that is open."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}
        self.inside = 0.0

    def add(self, name: str, seconds: float) -> None:
        self.seconds[name] = self.seconds.get(name, 0.0) + seconds


_recorder: ContextVar[_Recorder | None] = ContextVar("grapheme timing", default=None)


@contextmanager
def recording() -> Iterator[dict[str, float]]:
    """Add up, inside the ``with`` block, the seconds spent in each section."""
    recorder = _Recorder()
    token = _recorder.set(recorder)
    try:
        yield recorder.seconds
    finally:
        _recorder.reset(token)


@contextmanager
def section(name: str) -> Iterator[None]:
    """Mark a stretch of work; time in a section inside another counts for the inner one alone."""
    recorder = _recorder.get()
    if recorder is None:
        yield
        return
    outside, recorder.inside = recorder.inside, 0.0
    start = time.perf_counter()
    try:
        yield
    finally:
        spent = time.perf_counter() - start
        recorder.add(name, spent - recorder.inside)
        recorder.inside = outside + spent


@contextmanager
def side_by_side() -> Iterator[Mark]:
    """Yield what marks stretches of work that threads do at the same time.

    The time of the block is shared out among the names as the threads spent theirs. Threads that work side by side
    spend more seconds than go by, so that sections of their own would add up to more than there is.
    """
    recorder = _recorder.get()
    if recorder is None:
        yield lambda name: nullcontext()
        return
    spent: list[tuple[str, float]] = []  # appending is safe from any thread

    @contextmanager
    def mark(name: str) -> Iterator[None]:
        start = time.perf_counter()
        try:
            yield
        finally:
            spent.append((name, time.perf_counter() - start))

    start = time.perf_counter()
    try:
        yield mark
    finally:
        _share_out(recorder, time.perf_counter() - start, spent)


def _share_out(recorder: _Recorder, elapsed: float, spent: list[tuple[str, float]]) -> None:
    """Give each name its share of the seconds that went by."""
    whole = sum(seconds for _, seconds in spent)
    if whole > 0:
        for name, seconds in spent:
            recorder.add(name, elapsed * seconds / whole)
        recorder.inside += elapsed
