"""The oracle: every kernel as the obvious numpy code, one thread, never optimised; all others are tested by it."""

from __future__ import annotations

from collections.abc import Iterator

from grapheme import Backend, BackendSpec, hookimpl
from grapheme.kernels import CONTRACT
from grapheme.options import Options


def load(threads: int, options: Options) -> Backend:
    """Return the backend; it is serial whatever ``threads`` says."""
    from grapheme_numpy import batch, cell, cortex, graph

    return Backend(name="numpy", cell=cell, batch=batch, graph=graph, cortex=cortex)


@hookimpl
def grapheme_backends() -> Iterator[BackendSpec]:
    """Announce the backend."""
    yield BackendSpec(
        name="numpy",
        summary="serial reference that all other backends are tested against",
        contract=CONTRACT,
        probe=lambda options: None,
        load=load,
        install="pip install grapheme-nn",
    )
