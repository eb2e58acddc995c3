"""Train models that turn one graph into another, on whatever array engine you have."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from grapheme.backend import Backend, BackendSpec
from grapheme.backend.parallelism import Parallelism
from grapheme.backend.selection import get_backend, list_backends, use
from grapheme.plugins.hooks import hookimpl

if TYPE_CHECKING:
    from grapheme import ca as ca
    from grapheme.models.store import load as load

__version__ = "0.1.0"

__all__ = ["Backend", "BackendSpec", "Parallelism", "ca", "get_backend", "hookimpl", "list_backends", "load", "use"]


def __getattr__(name: str) -> Any:
    """Import the larger parts when they are first asked for, so that the command line starts at once."""
    if name == "load":
        return importlib.import_module("grapheme.models.store").load
    if name in __all__:
        return importlib.import_module(f"grapheme.{name}")
    raise AttributeError(f"module 'grapheme' has no attribute '{name}'")
