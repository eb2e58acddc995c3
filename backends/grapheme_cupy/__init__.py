"""Graphics cards: CUDA kernels behind CuPy, parameters and optimiser on the device."""

from __future__ import annotations

from collections.abc import Iterator

from grapheme import Backend, BackendSpec, hookimpl
from grapheme_cupy.availability import probe


def load(threads: int) -> Backend:
    """Return the backend on the current device; ``threads`` are the host's and of no use here."""
    import array_api_compat.cupy
    import cupy

    from grapheme.backend.parallelism import Parallelism
    from grapheme_cupy import batch, cell, cortex, device, graph

    return Backend(
        name="cupy",
        groups={"cell": cell, "batch": batch, "graph": graph, "cortex": cortex},
        device=device.name(),
        xp=array_api_compat.cupy,
        asarray=lambda array: cupy.asarray(array, order="C"),
        to_numpy=cupy.asnumpy,
        parallelism=Parallelism(memory=max(1, device.free_memory() // 2)),
    )


@hookimpl
def grapheme_backends() -> Iterator[BackendSpec]:
    """Announce the backend."""
    yield BackendSpec(
        name="cupy",
        summary="CUDA kernels on a graphics card",
        probe=probe,
        load=load,
        install="pip install 'grapheme-nn[cuda12]' for CUDA 12, or 'grapheme-nn[cuda13]' for CUDA 13.",
        groups=("cell", "batch", "graph", "cortex"),
    )
