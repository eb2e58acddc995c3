"""Where time goes: named sections that cost nothing unless somebody records them."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_recorder: ContextVar[dict[str, float] | None] = ContextVar("grapheme timing", default=None)


@contextmanager
def recording() -> Iterator[dict[str, float]]:
    """Add up, inside the ``with`` block, the seconds spent in each section."""
    seconds: dict[str, float] = {}
    token = _recorder.set(seconds)
    try:
        yield seconds
    finally:
        _recorder.reset(token)


@contextmanager
def section(name: str) -> Iterator[None]:
    """Mark a stretch of work."""
    seconds = _recorder.get()
    if seconds is None:
        yield
        return
    start = time.perf_counter()
    try:
        yield
    finally:
        seconds[name] = seconds.get(name, 0.0) + time.perf_counter() - start
