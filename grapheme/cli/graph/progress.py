"""How far many pieces of work have come: a bar on a terminal, plain lines elsewhere, both on the error stream."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import click

LINES = 10
"""How many lines to print on what is no terminal."""


@contextmanager
def shown(what: str, quiet: bool) -> Iterator[Callable[[int, int], None]]:
    """Yield the function to call with how many are done, and of how many."""
    if quiet:
        yield lambda done, total: None
    elif sys.stderr.isatty():
        with _bar(what) as update:
            yield update
    else:
        yield _lines(what)


def _lines(what: str) -> Callable[[int, int], None]:
    printed = 0

    def update(done: int, total: int) -> None:
        nonlocal printed
        if LINES * done // total > printed:
            printed = LINES * done // total
            click.echo(f"{done} of {total} {what}", err=True)

    return update


@contextmanager
def _bar(what: str) -> Iterator[Callable[[int, int], None]]:
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    columns = TextColumn(what), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(), TimeRemainingColumn()
    with Progress(*columns, console=Console(stderr=True)) as bar:
        task = bar.add_task(what, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)
