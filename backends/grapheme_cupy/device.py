"""The card in use: its name, its memory, and how many thread blocks get a workspace."""

from __future__ import annotations

import functools

import cupy

RESIDENT_THREADS = 2048
"""The most threads that a multiprocessor of any card holds at once."""

WORKSPACE = 2**28
"""Bytes of workspace at most; more thread blocks than that serves take turns, to the same bits."""


def name() -> str:
    """Return the name of the device as its maker has it."""
    properties = cupy.cuda.runtime.getDeviceProperties(cupy.cuda.Device().id)
    return f"{properties['name'].decode()} (cuda:{cupy.cuda.Device().id})"


def free_memory() -> int:
    """Return how many bytes are free on the device."""
    free, _ = cupy.cuda.runtime.memGetInfo()
    return int(free)


def workspaces(wanted: int, threads: int, bytes_each: int) -> int:
    """Return how many thread blocks to launch for ``wanted`` pieces of work: as many as fit at once, or fewer."""
    resident = _multiprocessors(cupy.cuda.Device().id) * max(1, RESIDENT_THREADS // threads)
    return max(1, min(wanted, resident, WORKSPACE // max(1, bytes_each)))


@functools.cache
def _multiprocessors(device: int) -> int:
    return int(cupy.cuda.Device(device).attributes["MultiProcessorCount"])
