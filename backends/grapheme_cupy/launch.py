"""Sizes of launches in which warps, or threads, work on their own."""

from __future__ import annotations

from grapheme_cupy.device import workspaces

WARPS = 8
BLOCK_OF_WARPS = (32, WARPS)
"""Threads of a block where each warp works alone."""

THREADS = 256
BLOCK_OF_THREADS = (THREADS,)
"""Threads of a block where each thread works alone."""


def blocks_of_warps(wanted: int, bytes_each: int = 0) -> int:
    """Return how many blocks share ``wanted`` pieces of work, a warp each with a workspace of ``bytes_each``."""
    return workspaces(-(-wanted // WARPS), WARPS * 32, WARPS * bytes_each)


def blocks_of_threads(wanted: int) -> int:
    """Return how many blocks share ``wanted`` pieces of work, a thread each."""
    return workspaces(-(-wanted // THREADS), THREADS, 0)
