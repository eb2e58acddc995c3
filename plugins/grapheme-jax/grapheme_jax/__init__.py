"""XLA: kernels that JAX compiles and differentiates."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator

from grapheme import Backend, BackendSpec, hookimpl


def probe() -> str | None:
    """Return why JAX cannot run here, or None."""
    return None if importlib.util.find_spec("jax") else "jax is not installed."


def load(threads: int) -> Backend:
    """Return the backend on JAX's default device; XLA decides about threads itself."""
    import jax
    import numpy as np

    jax.config.update("jax_enable_x64", True)
    from grapheme_jax import batch, cell

    device = jax.devices()[0]
    return Backend(
        name="jax",
        groups={"cell": cell, "batch": batch},
        threads=threads,
        device=f"{device.platform}:{device.id}",
        xp=jax.numpy,
        asarray=jax.numpy.asarray,
        to_numpy=np.asarray,
    )


@hookimpl
def grapheme_backends() -> Iterator[BackendSpec]:
    """Announce the backend."""
    yield BackendSpec(
        name="jax",
        summary="kernels compiled and differentiated by JAX",
        probe=probe,
        load=load,
        install="pip install grapheme-jax",
        groups=("cell", "batch"),
    )
