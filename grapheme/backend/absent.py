"""A kernel group that a backend does not bring."""

from __future__ import annotations

from typing import Any, NoReturn, final

from grapheme.errors import KernelNotProvidedError
from grapheme.kernels import GROUPS, kernel_names


@final
class Absent:
    """Stands where a group would be; whoever asks it for a kernel is told which backends have that."""

    def __init__(self, backend: str, group: str) -> None:
        self._backend, self._group = backend, group

    def __getattr__(self, name: str) -> NoReturn:
        if name not in kernel_names(GROUPS[self._group]):  # what Python itself asks for, as when it copies
            raise AttributeError(name)
        providers = ", ".join(_providers(self._group)) or "none"
        raise KernelNotProvidedError(
            f"The backend '{self._backend}' has no kernel {self._group}.{name}, nor the parts to compose it of; "
            f"backends that provide it: {providers}."
        )

    def __reduce__(self) -> tuple[Any, ...]:
        return Absent, (self._backend, self._group)


def _providers(group: str) -> list[str]:
    """Return the backends that run here and have a group."""
    from grapheme.backend.selection import usable_backends

    return [backend.name for backend in usable_backends() if group in backend.groups]
