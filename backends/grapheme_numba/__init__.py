"""Threads: compiled kernels that spread blocks of cells of all samples over the cores."""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Iterator

from grapheme import Backend, BackendSpec, hookimpl
from grapheme.arrays import ArrayEngine
from grapheme.kernels import CONTRACT, BatchKernels, CellKernels, CortexKernels, GraphKernels
from grapheme.options import Options


def probe(options: Options) -> str | None:
    """Return why numba cannot run here, or None."""
    return None if importlib.util.find_spec("numba") else "numba is not installed."


def load(threads: int, options: Options) -> Backend:
    """Return the backend, its kernels bound to ``threads`` threads."""
    _choose_wait_policy()
    from grapheme_numba.launch import on_threads, prepare

    prepare()
    from grapheme_numba import cell, graph
    from grapheme_numba.groups import NumbaBatch, NumbaCortex

    engine = ArrayEngine()
    return Backend(
        name="numba",
        cell=on_threads(CellKernels, cell, threads),
        batch=on_threads(BatchKernels, NumbaBatch(cell, engine), threads),
        graph=on_threads(GraphKernels, graph, threads),
        cortex=on_threads(CortexKernels, NumbaCortex(engine), threads),
        threads=threads,
    )


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
        contract=CONTRACT,
        probe=probe,
        load=load,
        install="pip install numba",
    )
