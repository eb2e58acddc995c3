"""A loaded backend: its kernels, group by group, and the arrays they work on."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from grapheme.arrays import Array, ArrayEngine, Namespace
from grapheme.backend.absent import Absent
from grapheme.backend.compositions.batch import ComposedBatch
from grapheme.backend.parallelism import Parallelism
from grapheme.kernels import GROUPS, BatchKernels, CellKernels, CortexKernels, GraphKernels

if TYPE_CHECKING:
    from grapheme.training.population import Population

NOT_GIVEN: Any = None
"""Stands for a group that a backend does not bring; such a group is composed, or says who has it."""


@dataclass(frozen=True, eq=False)
class Backend:
    """Kernels and the arrays they work on.

    A group is a module, or any object, that has all functions of its Protocol in ``grapheme.kernels``: mypy checks
    names, order and types. Of a group that is partly a backend's own, the rest comes from a class in
    ``grapheme.backend.compositions`` that it is derived from. A backend without ``batch`` gets roll-outs made of its
    steps; any other group that it leaves out raises an error that says which backends have it.
    """

    name: str
    cell: CellKernels = NOT_GIVEN
    batch: BatchKernels = NOT_GIVEN
    graph: GraphKernels = NOT_GIVEN
    cortex: CortexKernels = NOT_GIVEN
    threads: int = 1
    device: str = "cpu"
    xp: Namespace = np
    asarray: Callable[..., Array] = np.asarray
    to_numpy: Callable[[Array], np.ndarray] = np.asarray
    parallelism: Parallelism = field(default_factory=Parallelism)
    population: Population | None = None
    """Trains many runs at once, if the backend has a way of its own; else each gets a process of this machine."""

    def __post_init__(self) -> None:
        if self.batch is NOT_GIVEN and self.cell is not NOT_GIVEN:
            engine = ArrayEngine(self.xp, self.asarray, self.to_numpy)
            object.__setattr__(self, "batch", ComposedBatch(self.cell, engine, self.threads))
        for group in GROUPS:
            if getattr(self, group) is NOT_GIVEN:
                object.__setattr__(self, group, Absent(self.name, group))

    @property
    def groups(self) -> tuple[str, ...]:
        """The names of the kernel groups that are there.

        Example:
            >>> import grapheme
            >>> grapheme.get_backend("numpy").groups
            ('cell', 'batch', 'graph', 'cortex')
        """
        return tuple(group for group in GROUPS if not isinstance(getattr(self, group), Absent))

    def with_parallelism(self, parallelism: Parallelism) -> Backend:
        """Return the same backend spreading its work otherwise; what is left open stays as the backend had it."""
        memory = self.parallelism.memory if parallelism.memory is None else parallelism.memory
        return replace(self, parallelism=replace(parallelism, memory=memory))
