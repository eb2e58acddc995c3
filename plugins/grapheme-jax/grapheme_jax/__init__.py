"""XLA: kernels that JAX compiles and differentiates."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator

from grapheme import Backend, BackendSpec, hookimpl
from grapheme.arrays import ArrayEngine
from grapheme.kernels import CONTRACT
from grapheme.options import Options


def probe(options: Options) -> str | None:
    """Return why JAX cannot run here, or None."""
    return None if importlib.util.find_spec("jax") else "jax is not installed."


def load(threads: int, options: Options) -> Backend:
    """Return the backend on JAX's default device; XLA decides about threads itself."""
    import jax
    import numpy as np

    jax.config.update("jax_enable_x64", True)
    from grapheme_jax import cell
    from grapheme_jax.groups import JaxBatch

    device = jax.devices()[0]
    engine = ArrayEngine(jax.numpy, jax.numpy.asarray, np.asarray)
    return Backend(
        name="jax",
        cell=cell,
        batch=JaxBatch(cell, engine, threads),
        threads=threads,
        device=f"{device.platform}:{device.id}",
        xp=engine.xp,
        asarray=engine.asarray,
        to_numpy=engine.to_numpy,
    )


@hookimpl
def grapheme_backends() -> Iterator[BackendSpec]:
    """Announce the backend."""
    yield BackendSpec(
        name="jax",
        summary="kernels compiled and differentiated by JAX",
        contract=CONTRACT,
        probe=probe,
        load=load,
        install="pip install grapheme-jax",
    )
