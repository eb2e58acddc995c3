"""Chooses a backend: argument, then ``with use(...)``, then the environment, then the best that runs here."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from grapheme.backend import Backend, BackendSpec
from grapheme.backend.parallelism import Parallelism, thread_count
from grapheme.errors import BackendError, BackendUnavailableError, UnknownBackendError, nearest
from grapheme.plugins import plugins

BACKEND = "GRAPHEME_BACKEND"
AUTO = "auto"
AUTO_ORDER = ("numba", "numpy")
"""What ``auto`` may pick, best first; anything else runs only when asked for by name."""

_in_use: ContextVar[Backend | None] = ContextVar("grapheme backend in use", default=None)


def list_backends() -> list[BackendSpec]:
    """Return the records of all installed backends, sorted by name; two of one name are an error that names both."""
    owner: dict[str, str] = {}
    specs: dict[str, BackendSpec] = {}
    for plugin, spec in plugins().collect("grapheme_backends"):
        if spec.name in owner:
            raise BackendError(
                f"Two plugins bring a backend called '{spec.name}': '{owner[spec.name]}' and '{plugin}'. "
                f"Uninstall one of them, or name the plugins to load in GRAPHEME_LOAD_PLUGINS."
            )
        owner[spec.name], specs[spec.name] = plugin, spec
    return sorted(specs.values(), key=lambda spec: spec.name)


def get_backend(name: str = AUTO, threads: int | None = None, parallelism: Parallelism | None = None) -> Backend:
    """Return a backend ready to run; ``auto`` follows ``use``, then ``GRAPHEME_BACKEND``, then what runs here."""
    current = _in_use.get()
    if name == AUTO and current is not None and threads is None and parallelism is None:
        return current
    wanted = (current.name if current else os.environ.get(BACKEND, AUTO)) if name == AUTO else name
    parallelism = parallelism or Parallelism(threads)
    count = thread_count(parallelism.threads if threads is None else threads)
    spec = _automatic() if wanted == AUTO else _named(wanted)
    return spec.load(count).with_parallelism(parallelism)


def resolve(backend: Backend | str | None) -> Backend:
    """Return the backend that a public function's ``backend`` argument means: an object, a name, or None for auto."""
    if isinstance(backend, Backend):
        return backend
    return get_backend(AUTO if backend is None else backend)


@contextmanager
def use(name: str, threads: int | None = None, parallelism: Parallelism | None = None) -> Iterator[Backend]:
    """Make a backend the one that every call inside the ``with`` block takes unless told otherwise."""
    backend = get_backend(name, threads, parallelism)
    token = _in_use.set(backend)
    try:
        yield backend
    finally:
        _in_use.reset(token)


def _named(name: str) -> BackendSpec:
    specs = {spec.name: spec for spec in list_backends()}
    if name not in specs:
        raise UnknownBackendError(
            f"There is no backend '{name}'; installed are {', '.join(specs) or 'none'}.{nearest(name, specs)}"
        )
    reason = specs[name].probe()
    if reason is not None:
        advice = f" Try: {specs[name].install}" if specs[name].install else ""
        raise BackendUnavailableError(f"The backend '{name}' cannot run here: {reason}{advice}")
    return specs[name]


def _automatic() -> BackendSpec:
    specs = {spec.name: spec for spec in list_backends()}
    for name in AUTO_ORDER:
        if name in specs and specs[name].probe() is None:
            return specs[name]
    raise UnknownBackendError(
        f"None of the backends {', '.join(AUTO_ORDER)} can run here; name another with --backend or {BACKEND}."
    )
