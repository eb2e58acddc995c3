"""A backend: the record by which a plugin announces it, and the kernels that it loads on demand."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from grapheme import kernels
from grapheme.arrays import Array, Namespace
from grapheme.backend.parallelism import Parallelism
from grapheme.errors import KernelNotProvidedError

if TYPE_CHECKING:
    from grapheme.training.population import Population


@dataclass(frozen=True)
class BackendSpec:
    """What is known of a backend before anything heavy is imported.

    ``probe()`` returns None if the backend can run here, else the reason as a sentence. ``load(threads)`` returns the
    backend; it is called only after the probe. ``install`` is the command that mends what the probe found missing;
    empty if the probe says itself what to do. ``groups`` are the kernel groups that it supplies, all but the kernels
    that ``lacks`` names as "group.function".
    """

    name: str
    summary: str
    probe: Callable[[], str | None]
    load: Callable[[int], Backend]
    install: str
    groups: tuple[str, ...] = ()
    lacks: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class Backend:
    """Kernels and the arrays they work on.

    ``groups`` maps the name of a kernel group to a module (or any object) whose functions are named and shaped as in
    the file of that name in ``grapheme.kernels``. A group may hold any subset; what it lacks is composed if possible.
    """

    name: str
    groups: Mapping[str, object]
    threads: int = 1
    device: str = "cpu"
    xp: Namespace = np
    asarray: Callable[..., Array] = np.asarray
    to_numpy: Callable[[Array], np.ndarray] = np.asarray
    parallelism: Parallelism = field(default_factory=Parallelism)
    population: Population | None = None
    """Trains many runs at once, if the backend has a way of its own; else each gets a process of this machine."""

    def provides(self, kernel: str) -> bool:
        """Say whether the backend itself has ``kernel``, named as ``"group.function"``."""
        group, name = kernel.split(".")
        return callable(getattr(self.groups.get(group), name, None))

    def kernel(self, kernel: str) -> Callable[..., Array]:
        """Return the kernel ``"group.function"``: the backend's own, else one composed of those it has."""
        group, name = kernel.split(".")
        if self.provides(kernel):
            found: Callable[..., Array] = getattr(self.groups[group], name)
            return found
        composed = kernels.compose(self, kernel)
        if composed is None:
            raise KernelNotProvidedError(
                f"The backend '{self.name}' has no kernel {kernel}, nor the parts to compose it of; "
                f"backends that provide it: {', '.join(_providers(kernel)) or 'none'}."
            )
        return composed

    def with_parallelism(self, parallelism: Parallelism) -> Backend:
        """Return the same backend spreading its work otherwise; what is left open stays as the backend had it."""
        memory = self.parallelism.memory if parallelism.memory is None else parallelism.memory
        return replace(self, parallelism=replace(parallelism, memory=memory))


def _providers(kernel: str) -> list[str]:
    from grapheme.backend.selection import list_backends

    group = kernel.split(".")[0]
    return [spec.name for spec in list_backends() if group in spec.groups and kernel not in spec.lacks]
