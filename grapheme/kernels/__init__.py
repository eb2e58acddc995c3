"""The contract of every kernel, a file for each group; backends hold files of the same names.

Rules for all kernels. They are pure functions of arrays: no random numbers, no state, no change of an argument.
The same arguments give the same bits whatever the number of threads. Arrays are of the backend's own kind,
C-contiguous; integers are int32, bits are bool, everything else is float32 or float64, one dtype in a call.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from grapheme.kernels import batch, cell, cortex, graph, networks

if TYPE_CHECKING:
    from grapheme.backend import Backend

GROUPS: dict[str, tuple[str, ...]] = {
    "cell": cell.KERNELS,
    "batch": batch.KERNELS,
    "graph": graph.KERNELS,
    "cortex": cortex.KERNELS,
}
"""The kernels of each group."""

FUSED: dict[str, tuple[str, ...]] = {"batch": batch.FUSED, "cortex": cortex.FUSED}
"""Those that the core makes of others unless a backend has its own."""

COMPOSED = {**batch.COMPOSED, **networks.COMPOSED}
"""The kernels that the core makes of others."""


def compose(backend: Backend, kernel: str) -> Callable[..., Any] | None:
    """Return ``kernel`` made of others that ``backend`` provides, or None if it lacks those too."""
    return COMPOSED[kernel].make(backend) if _composable(backend, kernel) else None


def _composable(backend: Backend, kernel: str) -> bool:
    """Say whether all parts of ``kernel`` are there, or can be composed themselves."""
    recipe = COMPOSED.get(kernel)
    return recipe is not None and all(backend.provides(part) or _composable(backend, part) for part in recipe.parts)
