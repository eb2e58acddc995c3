"""The record by which a plugin announces a backend."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from grapheme.options import Option, Options

if TYPE_CHECKING:
    from grapheme.backend.backend import Backend


@dataclass(frozen=True, kw_only=True)
class BackendSpec:
    """What is known of a backend before anything heavy is imported."""

    name: str
    summary: str
    contract: int
    """The ``grapheme.kernels.CONTRACT`` that it was written for; of another one it is not loaded."""
    probe: Callable[[Options], str | None]
    """Returns None if the backend can run here with these options, else the reason as a sentence."""
    load: Callable[[int, Options], Backend]
    """Returns the backend for a number of threads and options; called only after the probe."""
    install: str = ""
    """The command that fixes what the probe found missing; empty if the probe says itself what to do."""
    options: tuple[Option, ...] = ()
    """What a user may choose: flags of every command that takes a backend, and ``get_backend(options=...)``."""
