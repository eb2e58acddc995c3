"""Chooses a backend: argument, then ``with use(...)``, then the environment, then the best that runs here."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from typing import Any

from grapheme.backend.backend import Backend
from grapheme.backend.parallelism import Parallelism, thread_count
from grapheme.backend.spec import BackendSpec
from grapheme.errors import BackendError, BackendUnavailableError, InvalidInputError, UnknownBackendError
from grapheme.kernels import CONTRACT
from grapheme.options import Options, completed
from grapheme.plugins.registry import Registry

BACKENDS = Registry(
    "grapheme_backends", lambda: BackendSpec, "backend", lambda spec: spec.name, error=UnknownBackendError
)
BACKEND = "GRAPHEME_BACKEND"
AUTO = "auto"
AUTO_ORDER = ("numba", "numpy")
"""What ``auto`` may pick, best first; anything else runs only when asked for by name."""

_in_use: ContextVar[Backend | None] = ContextVar("grapheme backend in use", default=None)


def list_backends() -> list[BackendSpec]:
    """Return the records of all installed backends, sorted by name; two of one name are an error that names both."""
    return [spec for _, spec in sorted(BACKENDS.all().items())]


def get_backend(
    name: str = AUTO,
    threads: int | None = None,
    parallelism: Parallelism | None = None,
    options: Mapping[str, Any] | None = None,
) -> Backend:
    """Return a backend ready to run.

    Args:
        name: of a backend; ``auto`` follows ``use``, then ``GRAPHEME_BACKEND``, then takes the best that runs here.
        threads: for the kernels; every core if None.
        parallelism: how work is spread, if more than the threads is to be said.
        options: those that the backend's record declares, by name; the rest have their defaults.

    Returns:
        The backend, its kernels resolved.

    Raises:
        UnknownBackendError: if there is none of that name.
        BackendUnavailableError: if it cannot run here; the sentence says what to do.

    Example:
        >>> get_backend("numpy").name
        'numpy'
    """
    current = _in_use.get()
    if name == AUTO and current is not None and threads is None and parallelism is None and not options:
        return current
    wanted = (current.name if current else os.environ.get(BACKEND, AUTO)) if name == AUTO else name
    parallelism = parallelism or Parallelism(threads)
    count = thread_count(parallelism.threads if threads is None else threads)
    spec = _automatic() if wanted == AUTO else BACKENDS.get(wanted)
    return _loaded(spec, count, options or {}).with_parallelism(parallelism)


def host_backend(threads: int | None = None) -> Backend:
    """Return the fastest backend whose arrays are the host's, for work that another one leaves to the host."""
    return _loaded(_automatic(), thread_count(threads), {})


def usable_backends() -> Iterator[Backend]:
    """Yield every backend that can run here with its default options, loaded."""
    for spec in list_backends():
        with suppress(BackendError, InvalidInputError):
            yield _loaded(spec, thread_count(None), {})


def resolve(backend: Backend | str | None) -> Backend:
    """Return the backend that a public function's ``backend`` argument means: an object, a name, or None for auto."""
    if isinstance(backend, Backend):
        return backend
    return get_backend(AUTO if backend is None else backend)


@contextmanager
def use(
    name: str,
    threads: int | None = None,
    parallelism: Parallelism | None = None,
    options: Mapping[str, Any] | None = None,
) -> Iterator[Backend]:
    """Make a backend the one that every call inside the ``with`` block takes unless told otherwise."""
    backend = get_backend(name, threads, parallelism, options)
    token = _in_use.set(backend)
    try:
        yield backend
    finally:
        _in_use.reset(token)


def reason_against(spec: BackendSpec, options: Options) -> str | None:
    """Return why a backend cannot run here with these options, or None.

    A probe is a stranger's code: what it raises becomes the reason.
    """
    if spec.contract != CONTRACT:
        newer = "a newer grapheme" if spec.contract > CONTRACT else f"an older grapheme: ask for a {spec.name} of today"
        return f"it follows contract {spec.contract} of the kernels, this version has {CONTRACT}; it is for {newer}."
    try:
        return spec.probe(options)
    except Exception as error:
        return f"its probe failed with {type(error).__name__}: {' '.join(str(error).split())}."


def _loaded(spec: BackendSpec, threads: int, given: Mapping[str, Any]) -> Backend:
    options = completed(spec.options, {**_from_environment(spec), **given}, f"the backend '{spec.name}'")
    reason = reason_against(spec, options)
    if reason is not None:
        advice = f" Try: {spec.install}" if spec.install and spec.contract == CONTRACT else ""
        raise BackendUnavailableError(f"The backend '{spec.name}' cannot run here: {reason}{advice}")
    return spec.load(threads, options)


def _from_environment(spec: BackendSpec) -> dict[str, Any]:
    """Return the options that environment variables give; what is wrong with one is said of the variable."""
    values = {}
    for option in spec.options:
        text = os.environ.get(option.variable or "")
        if text:
            try:
                values[option.name] = option.checked(text)
            except InvalidInputError as error:
                raise InvalidInputError(f"Set {option.variable} to something else: {error}") from None
    return values


def _automatic() -> BackendSpec:
    specs = BACKENDS.all()
    for name in AUTO_ORDER:
        if name in specs and reason_against(specs[name], _defaults(specs[name])) is None:
            return specs[name]
    raise UnknownBackendError(
        f"None of the backends {', '.join(AUTO_ORDER)} can run here; name another with --backend or {BACKEND}."
    )


def _defaults(spec: BackendSpec) -> Options:
    return completed(spec.options, {}, f"the backend '{spec.name}'")
