"""Finds tasks by name."""

from __future__ import annotations

from grapheme.errors import InvalidInputError, nearest
from grapheme.tasks.pairs import GraphTask


def tasks() -> dict[str, GraphTask]:
    """Return all tasks by name."""
    return {}


def task(name: str) -> GraphTask:
    """Return a task, or say which there are."""
    known = tasks()
    if name not in known:
        raise InvalidInputError(f"There is no task '{name}'; there are {', '.join(known)}.{nearest(name, known)}")
    return known[name]
