"""Backends: the record that announces one, the loaded kernels, and how one is chosen."""

from grapheme.backend.backend import Backend
from grapheme.backend.spec import BackendSpec

__all__ = ["Backend", "BackendSpec"]
