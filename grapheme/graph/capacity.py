"""How much memory a result may take."""

from __future__ import annotations

import os
from pathlib import Path

from grapheme.errors import InvalidInputError

UNKNOWN = 2**32
"""Bytes to count on where the system does not say."""


def allowed(memory: int | None) -> int:
    """Return ``memory`` in bytes, by default what this machine has free."""
    if memory is None:
        return _free()
    if memory < 1:
        raise InvalidInputError(f"Give a positive number of bytes as memory; got {memory}.")
    return memory


def _free() -> int:
    try:
        lines = Path("/proc/meminfo").read_text().splitlines()
        return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("MemAvailable"))
    except (OSError, StopIteration, ValueError):
        pass
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // 2
    except (AttributeError, OSError, ValueError):
        return UNKNOWN
