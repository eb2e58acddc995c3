"""The contract of every kernel, a Protocol for each group; backends hold files of the same names.

Rules for all kernels. They are pure functions of arrays: no random numbers, no state, no change of an argument.
The same arguments give the same bits whatever the number of threads. Arrays are of the backend's own kind,
C-contiguous; integers are int32, bits are bool, everything else is float32 or float64, one dtype in a call.

To add a kernel, write its signature and its docstring into the Protocol of its group. mypy then names every backend
that lacks it, and the conformance suite every kernel without a case.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from grapheme.kernels.batch import BatchKernels
from grapheme.kernels.cell import CellKernels
from grapheme.kernels.cortex import CortexKernels
from grapheme.kernels.graph import GraphKernels

CONTRACT = 2
"""Counts up whenever a kernel is added, removed or changes what it takes or returns; a backend says which it follows.

Contract 1 had groups of functions that were looked up by name.
"""

GROUPS: dict[str, type] = {
    "cell": CellKernels,
    "batch": BatchKernels,
    "graph": GraphKernels,
    "cortex": CortexKernels,
}
"""The Protocol of each group, by the name of the attribute of ``Backend`` that holds the group."""


def kernel_names(group: type) -> tuple[str, ...]:
    """Return the kernels of a group's Protocol in the order in which they are declared.

    Args:
        group: one of the Protocols in ``GROUPS``.

    Returns:
        The names of its methods.

    Example:
        >>> kernel_names(CellKernels)
        ('step', 'step_grad', 'hard_step')
    """
    parts = [part for part in reversed(group.__mro__) if getattr(part, "_is_protocol", False)]
    return tuple(name for part in parts for name in vars(part) if not name.startswith("_"))


def kernel_name(kernel: Callable[..., Any]) -> str:
    """Return what a kernel is called for people, given the method of its Protocol.

    Args:
        kernel: as in ``BatchKernels.rollout``.

    Returns:
        The names of its group and of itself.

    Example:
        >>> kernel_name(BatchKernels.rollout)
        'batch.rollout'
    """
    name = kernel.__name__
    return next(f"{group}.{name}" for group, protocol in GROUPS.items() if getattr(protocol, name, None) is kernel)


__all__ = [
    "CONTRACT",
    "GROUPS",
    "BatchKernels",
    "CellKernels",
    "CortexKernels",
    "GraphKernels",
    "kernel_name",
    "kernel_names",
]
