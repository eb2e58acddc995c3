"""Options that several commands share."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

F = TypeVar("F", bound=Callable[..., Any])

RUN = click.argument("run", type=click.Path(path_type=Path))


class Size(click.ParamType[tuple[int, int]]):
    """A grid's height and width, as in 64x64."""

    name = "HxW"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[int, int]:
        """Return (height, width)."""
        if isinstance(value, tuple):
            return value
        parts = str(value).lower().split("x")
        if len(parts) != 2 or not all(part.isdigit() and int(part) > 0 for part in parts):
            self.fail(f"'{value}' is not a size; write height and width as in 64x64.", param, ctx)
        return int(parts[0]), int(parts[1])


class Bytes(click.ParamType[int]):
    """An amount of memory, as in 500MB or 2GB."""

    name = "SIZE"
    units = {"GB": 2**30, "MB": 2**20, "KB": 2**10, "B": 1}  # noqa: RUF012

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """Return a number of bytes."""
        text = str(value).upper().strip()
        unit = next((unit for unit in self.units if text.endswith(unit)), "")
        number = text.removesuffix(unit).strip()
        if not number.isdigit() or int(number) == 0:
            self.fail(f"'{value}' is not an amount of memory; write it as in 500MB or 2GB.", param, ctx)
        return int(number) * self.units.get(unit, 1)


def backend_options(function: F) -> F:
    """Add the options that choose a backend and how it spreads its work."""
    for option in reversed(
        (
            click.option(
                "--backend",
                default="auto",
                show_default=True,
                envvar="GRAPHEME_BACKEND",
                show_envvar=True,
                help="Which kernels to run; see 'grapheme backends'.",
            ),
            click.option(
                "--threads",
                type=int,
                envvar="GRAPHEME_THREADS",
                show_envvar=True,
                help="Threads to use; all cores if not given.",
            ),
            click.option(
                "--parallel-batch/--no-parallel-batch",
                default=True,
                show_default=True,
                help="Hand the samples of a batch over together, or as few as possible at a time.",
            ),
            click.option(
                "--samples-at-once", type=click.IntRange(min=1), help="Hand over at most so many samples at a time."
            ),
            click.option(
                "--memory",
                type=Bytes(),
                help="Memory that the samples handed over together may take; 1GB, or half of what a card has free.",
            ),
        )
    ):
        function = option(function)
    return function


def kernel_options(function: F) -> F:
    """Add the options that choose a backend, for work that is no training."""
    threads = click.option(
        "--threads",
        type=int,
        envvar="GRAPHEME_THREADS",
        show_envvar=True,
        help="Threads to use; all cores if not given.",
    )
    backend = click.option(
        "--backend",
        default="auto",
        show_default=True,
        envvar="GRAPHEME_BACKEND",
        show_envvar=True,
        help="Which kernels to run; see 'grapheme backends'.",
    )
    return backend(threads(function))


def load_backend(
    name: str,
    threads: int | None,
    parallel_batch: bool = True,
    samples_at_once: int | None = None,
    memory: int | None = None,
) -> Any:
    """Return the backend that the options ask for."""
    from grapheme.backend.parallelism import Parallelism
    from grapheme.backend.selection import get_backend

    return get_backend(name, threads, Parallelism(threads, parallel_batch, samples_at_once, memory))
