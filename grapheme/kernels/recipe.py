"""A kernel that the core makes of others, for a backend that has none of its own."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from grapheme.backend import Backend


@dataclass(frozen=True)
class Recipe:
    """A kernel made of others: which it needs, and how it is made."""

    parts: tuple[str, ...]
    make: Callable[[Backend], Callable[..., Any]]
