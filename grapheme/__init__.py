"""Train models that turn one graph into another, on whatever array engine you have."""

from __future__ import annotations

from grapheme.backend import Backend, BackendSpec
from grapheme.hooks import hookimpl
from grapheme.parallel import Parallelism
from grapheme.selection import get_backend, list_backends, use

__version__ = "0.1.0"

__all__ = ["Backend", "BackendSpec", "Parallelism", "get_backend", "hookimpl", "list_backends", "use"]
