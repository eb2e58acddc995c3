"""How a benchmark gets its backend."""

from __future__ import annotations

import grapheme
from grapheme.errors import BackendError, InvalidInputError

BACKENDS = ["numpy", "numba", "cupy"]
THREADS = [1, 2]


def backend_or_skip(name: str, threads: int) -> grapheme.Backend:
    """Return a backend; asv shows n/a where it cannot run, or where threads make no difference."""
    try:
        backend = grapheme.get_backend(name, threads=threads)
    except (BackendError, InvalidInputError) as error:
        raise NotImplementedError from error
    if backend.threads != threads:
        raise NotImplementedError
    return backend
