"""Finds tasks by name."""

from __future__ import annotations

from collections.abc import Iterator

from grapheme.datasets.boolean import BOOLEAN
from grapheme.datasets.code import PYTHON
from grapheme.datasets.degree_rules import DEGREE_RULES
from grapheme.datasets.edit_cycles import EDIT_CYCLES
from grapheme.datasets.life import LIFE_GRAPH
from grapheme.datasets.mathematics import MATH_LEVELS, MATHEMATICS
from grapheme.datasets.pairs import GraphTask
from grapheme.datasets.peano import PEANO
from grapheme.datasets.spelling import SPELLING, TEXT_CHANGES
from grapheme.errors import InvalidInputError, nearest
from grapheme.rng import generator

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


def sample_pairs(name: str, count: int) -> Iterator[str]:
    """Yield a few pairs of a task as they are written, for people to see what is to be learnt.

    Args:
        name: of a task whose pairs are drawn.
        count: how many.

    Yields:
        Lines of source and target with an arrow between them; a graph that has no short form is one of JSON.
    """
    found = task(name)
    rng = generator(0, "display")
    for _ in range(count if found.draw else 0):
        assert found.draw is not None
        pair = found.draw(rng)
        before, after = pair.text or (found.domain.render(pair.source), found.domain.render(pair.target))
        yield f"{before}  ->  {after}" if "\n" not in before + after else f"{before}\n  ->\n{after}"
