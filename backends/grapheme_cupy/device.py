"""The card in use: its name, its memory, and how many thread blocks get a workspace."""

from __future__ import annotations

import functools
from typing import Any

import cupy

RESIDENT_THREADS = 2048
"""The most threads that a multiprocessor of any card holds at once."""

WORKSPACE = 2**28
"""Bytes of workspace at most; more thread blocks than that serves take turns, to the same bits."""


def name() -> str:
    """Return the name of the current device as its maker has it."""
    device = cupy.cuda.Device().id
    return f"{_properties(device)['name'].decode()} (cuda:{device})"


def free_memory() -> int:
    """Return how many bytes are free on the device."""
    free, _ = cupy.cuda.runtime.memGetInfo()
    return int(free)


def workspaces(wanted: int, threads: int, bytes_each: int) -> int:
    """Return how many thread blocks to launch for ``wanted`` pieces of work: as many as fit at once, or fewer."""
    multiprocessors = int(_properties(cupy.cuda.Device().id)["multiProcessorCount"])
    resident = multiprocessors * max(1, RESIDENT_THREADS // threads)
    return max(1, min(wanted, resident, WORKSPACE // max(1, bytes_each)))


@functools.cache
def _properties(device: int) -> dict[str, Any]:
    properties: dict[str, Any] = cupy.cuda.runtime.getDeviceProperties(device)
    return properties
