"""Graphics cards: CUDA kernels behind CuPy, parameters and optimiser on the device."""

from __future__ import annotations

from collections.abc import Iterator

from grapheme import Backend, BackendSpec, hookimpl
from grapheme.arrays import ArrayEngine
from grapheme.kernels import CONTRACT
from grapheme.options import Options
from grapheme_cupy.availability import probe


def load(threads: int, options: Options) -> Backend:
    """Return the backend on the current device; ``threads`` are for what it leaves to the host."""
    import array_api_compat.cupy
    import cupy

    from grapheme.backend.parallelism import Parallelism
    from grapheme_cupy import cell, device, graph
    from grapheme_cupy.groups import CupyBatch, CupyCortex

    engine = ArrayEngine(array_api_compat.cupy, lambda array: cupy.asarray(array, order="C"), cupy.asnumpy)
    return Backend(
        name="cupy",
        cell=cell,
        batch=CupyBatch(cell, engine, threads),
        graph=graph,
        cortex=CupyCortex(engine),
        device=device.name(),
        xp=engine.xp,
        asarray=engine.asarray,
        to_numpy=engine.to_numpy,
        parallelism=Parallelism(memory=max(1, device.free_memory() // 2)),
    )


@hookimpl
def grapheme_backends() -> Iterator[BackendSpec]:
    """Announce the backend."""
    yield BackendSpec(
        name="cupy",
        summary="CUDA kernels on a graphics card",
        contract=CONTRACT,
        probe=lambda options: probe(),
        load=load,
        install="pip install 'grapheme-nn[cuda12]' for CUDA 12, or 'grapheme-nn[cuda13]' for CUDA 13.",
    )
