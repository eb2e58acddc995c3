"""Finds tasks by name."""

from __future__ import annotations

from grapheme.errors import InvalidInputError, nearest
from grapheme.tasks.boolean import BOOLEAN
from grapheme.tasks.code import PYTHON
from grapheme.tasks.degree_rules import DEGREE_RULES
from grapheme.tasks.edit_cycles import EDIT_CYCLES
from grapheme.tasks.life import LIFE_GRAPH
from grapheme.tasks.mathematics import MATH_LEVELS, MATHEMATICS
from grapheme.tasks.pairs import GraphTask
from grapheme.tasks.peano import PEANO
from grapheme.tasks.spelling import SPELLING, TEXT_CHANGES

_TASKS = (
    EDIT_CYCLES, DEGREE_RULES, LIFE_GRAPH, BOOLEAN, PEANO, MATHEMATICS, *MATH_LEVELS, PYTHON, SPELLING, *TEXT_CHANGES,
)  # fmt: skip


def tasks() -> dict[str, GraphTask]:
    """Return all tasks by name."""
    return {task.name: task for task in _TASKS}


def task(name: str) -> GraphTask:
    """Return a task, or say which there are."""
    known = tasks()
    if name not in known:
        raise InvalidInputError(f"There is no task '{name}'; there are {', '.join(known)}.{nearest(name, known)}")
    return known[name]
