"""Threads: compiled kernels that spread blocks of cells of all samples over the cores."""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Iterator

from grapheme import Backend, BackendSpec, hookimpl


def probe() -> str | None:
    """Return why numba cannot run here, or None."""
    return None if importlib.util.find_spec("numba") else "numba is not installed."


def load(threads: int) -> Backend:
    """Return the backend, its kernels bound to ``threads`` threads."""
    _choose_wait_policy()
    from grapheme_numba.launch import on_threads, prepare

    prepare()
    from grapheme_numba import batch, cell, cortex, graph

    modules = {"cell": cell, "batch": batch, "graph": graph, "cortex": cortex}
    groups = {name: on_threads(module, threads, name) for name, module in modules.items()}
    return Backend(name="numba", groups=groups, threads=threads)


def _choose_wait_policy() -> None:
    """Let idle threads sleep, after a moment, unless the user chose otherwise.

    Threads that spin at a barrier for long make a busy machine crawl; threads that sleep at once take longer to wake
    than a small pass takes to run.
    """
    if "OMP_WAIT_POLICY" not in os.environ:
        os.environ["OMP_WAIT_POLICY"] = "passive"
        os.environ.setdefault("GOMP_SPINCOUNT", "2000")


@hookimpl
def grapheme_backends() -> Iterator[BackendSpec]:
    """Announce the backend."""
    yield BackendSpec(
        name="numba",
        summary="compiled kernels on all cores",
        probe=probe,
        load=load,
        install="pip install numba",
        groups=("cell", "batch", "graph", "cortex"),
    )
