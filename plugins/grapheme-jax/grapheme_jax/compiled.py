"""Compilation by XLA that keeps the signature of what is compiled, so that the type checker sees it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

import jax

F = TypeVar("F", bound=Callable[..., Any])


def compiled(*static: int) -> Callable[[F], F]:
    """Return a decorator that compiles a function anew for each value of its ``static`` arguments."""

    def compile_(function: F) -> F:
        return cast(F, jax.jit(function, static_argnums=static))

    return compile_
