"""Rewrites of small Python programs, statement by statement, that leave what they do as it was.

1. ``x = x + e`` becomes ``x += e``, and so for ``-`` and ``*``
2. ``3 * 4`` becomes ``12``, and so for ``+`` and ``-``
3. ``x == None`` becomes ``x is None``, ``x != None`` becomes ``x is not None``
4. ``not x in xs`` becomes ``x not in xs``, ``not x is y`` becomes ``x is not y``
5. ``True if x < y else False`` becomes ``x < y``
6. ``range(0, n)`` becomes ``range(n)``
7. ``list()`` becomes ``[]``, ``dict()`` becomes ``{}``
8. ``len(xs) == 0`` becomes ``not xs``, for a list
9. ``ys = [e for x in xs]``, as the last statement, becomes a loop that appends to ``ys``

All are used wherever they apply. Statements to which none does stand between them.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence

import numpy as np

from grapheme.datasets.drawing import Sizes, drawn_task, written
from grapheme.domains.shipped import CODE

Rng = np.random.Generator
NAMES = ("a", "b", "n", "x", "y", "total")
LISTS = ("xs", "ys", "items")
FLAGS = ("ok", "found")
SIGNS = ("+", "-", "*")
ORDERS = ("<", "<=", ">", ">=")
VALUES = {"+": operator.add, "-": operator.sub, "*": operator.mul}
LARGEST = 6
"""The largest number that is folded."""

Statement = tuple[str, str]
"""A statement before and after."""


def _pick(rng: Rng, choices: Sequence[str]) -> str:
    return choices[int(rng.integers(len(choices)))]


def _two(rng: Rng, choices: Sequence[str]) -> list[str]:
    return [choices[i] for i in rng.permutation(len(choices))[:2]]


def _atom(rng: Rng) -> str:
    return _pick(rng, NAMES) if rng.random() < 0.5 else str(rng.integers(1, 10))


def augmented(rng: Rng) -> Statement:
    """``x = x + e``."""
    name, sign, value = _pick(rng, NAMES), _pick(rng, SIGNS), _atom(rng)
    return f"{name} = {name} {sign} {value}", f"{name} {sign}= {value}"


def folded(rng: Rng) -> Statement:
    """``y = x + 3 * 4``."""
    sign, other = _two(rng, SIGNS)
    second, first = sorted(int(number) for number in rng.integers(1, LARGEST + 1, size=2))
    target, name = _two(rng, NAMES)
    before, after = f"({first} {sign} {second})", str(VALUES[sign](first, second))
    if rng.random() < 0.5:
        return f"{target} = {before}", f"{target} = {after}"
    return f"{target} = {name} {other} {before}", f"{target} = {name} {other} {after}"


def none_compared(rng: Rng) -> Statement:
    """``ok = x == None``."""
    flag, name = _pick(rng, FLAGS), _pick(rng, NAMES)
    before, after = (("==", "is"), ("!=", "is not"))[rng.integers(2)]
    return f"{flag} = {name} {before} None", f"{flag} = {name} {after} None"


def negated(rng: Rng) -> Statement:
    """``ok = not x in xs``."""
    flag, name = _pick(rng, FLAGS), _pick(rng, NAMES)
    if rng.random() < 0.6:
        items = _pick(rng, LISTS)
        return f"{flag} = not {name} in {items}", f"{flag} = {name} not in {items}"
    other = _pick(rng, LISTS)
    return f"{flag} = not {name} is {other}", f"{flag} = {name} is not {other}"


def chosen_truth(rng: Rng) -> Statement:
    """``ok = True if x < y else False``."""
    flag, order, (first, second) = _pick(rng, FLAGS), _pick(rng, ORDERS), _two(rng, NAMES)
    return f"{flag} = True if {first} {order} {second} else False", f"{flag} = {first} {order} {second}"


def ranged(rng: Rng) -> Statement:
    """``xs = range(0, n)``."""
    items, end = _pick(rng, LISTS), _atom(rng)
    return f"{items} = range(0, {end})", f"{items} = range({end})"


def empty(rng: Rng) -> Statement:
    """``xs = list()``."""
    items = _pick(rng, LISTS)
    return ((f"{items} = list()", f"{items} = []"), (f"{items} = dict()", f"{items} = {{}}"))[rng.integers(2)]


def measured(rng: Rng) -> Statement:
    """``ok = len(xs) == 0``."""
    flag, items = _pick(rng, FLAGS), _pick(rng, LISTS)
    return f"{flag} = len({items}) == 0", f"{flag} = not {items}"


def comprehension(rng: Rng) -> Statement:
    """``ys = [e for x in xs]``."""
    made, items = _two(rng, LISTS)
    name, sign = _pick(rng, NAMES), _pick(rng, SIGNS)
    element = name if rng.random() < 0.3 else f"{name} {sign} {_atom(rng)}"
    return (
        f"{made} = [{element} for {name} in {items}]",
        f"{made} = []\nfor {name} in {items}:\n    {made}.append({element})",
    )


def untouched(rng: Rng) -> Statement:
    """``y = 3 - y``, to which no rule applies."""
    target, name = _two(rng, NAMES)
    sign = _pick(rng, SIGNS)
    statement = (
        f"{target} = {name} {sign} {_atom(rng)}",
        f"{target} = {rng.integers(1, 10)} - {target}",
        f"{_pick(rng, FLAGS)} = {target} {_pick(rng, ORDERS)} {name}",
        f"{target} = len({_pick(rng, LISTS)})",
        f"{target} {sign}= {_atom(rng)}",
    )[rng.integers(5)]
    return statement, statement


ANYWHERE: tuple[Callable[[Rng], Statement], ...] = (
    augmented, folded, none_compared, negated, chosen_truth, ranged, empty, measured, untouched,
)  # fmt: skip


def program(rng: Rng) -> tuple[str, str]:
    """Return a program of one to three statements, and the same rewritten."""
    while True:
        statements = [ANYWHERE[rng.integers(len(ANYWHERE))](rng) for _ in range(rng.integers(1, 4))]
        if rng.random() < 0.25:
            statements[-1] = comprehension(rng)
        before, after = ("\n".join(lines) for lines in zip(*statements, strict=True))
        if before != after:
            return before, after


PYTHON = drawn_task(
    "code",
    "nine rewrites of small Python programs",
    CODE,
    written(CODE, program),
    Sizes(train=9000, validation=500),
)
