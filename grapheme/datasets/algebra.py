"""What one step of working out an expression is: one function of the expression, whatever the level it comes from.

A rule is used wherever one applies, but not just below such a place:

- a sum, difference or product of two numbers becomes its value;
- a function of numbers becomes its value, if that is a whole number;
- ``a + 0``, ``a - 0``, ``a*1``, ``a/1`` and ``a^1`` become a, ``a*0`` becomes 0, ``a^0`` becomes 1, ``x - x`` becomes
  0, and ``-(-a)`` becomes a.
"""

from __future__ import annotations

import operator
from collections.abc import Callable

from grapheme.datasets.rewriting import same
from grapheme.graph import formula
from grapheme.graph.expression import DIFFERENCE, FUNCTIONS, NEGATIVE, POWER, PRODUCT, QUOTIENT, SUM
from grapheme.graph.tree import Tree, operands

ARITHMETIC: dict[str, Callable[[int, int], int]] = {
    SUM: operator.add,
    DIFFERENCE: operator.sub,
    PRODUCT: operator.mul,
}
SECOND = {DIFFERENCE: 0, QUOTIENT: 1, POWER: 1}
"""The second operand that changes nothing."""


def rule(tree: Tree) -> Tree | None:
    """Return what takes an expression's place by the first of the rules that applies at its root."""
    if not tree.branches:
        return None
    parts = operands(tree)
    value = _value(tree) if all(isinstance(part.label, (int, float)) for part in parts) else None
    if value is not None:
        return value
    if tree.label in (SUM, PRODUCT):
        return _without_units(tree)
    if tree.label == NEGATIVE and parts[0].label == NEGATIVE:
        return operands(parts[0])[0]
    if tree.label == POWER and parts[1].label == 0:
        return Tree(1)
    if tree.label == DIFFERENCE and not parts[0].branches and same(*parts):
        return Tree(0)
    return parts[0] if tree.label in SECOND and parts[1].label == SECOND[str(tree.label)] else None


def _value(tree: Tree) -> Tree | None:
    numbers = [part.label for part in operands(tree)]
    if tree.label in ARITHMETIC and len(numbers) == 2:
        return Tree(ARITHMETIC[str(tree.label)](*numbers))  # type: ignore[arg-type]
    if tree.label in FUNCTIONS:
        value = formula.FUNCTIONS[str(tree.label)](numbers)
        return Tree(int(value)) if value == int(value) else None
    return None


def _without_units(tree: Tree) -> Tree | None:
    """Return a sum without zeros, or a product without ones; 0, if a factor is."""
    if tree.label == PRODUCT and any(part.label == 0 for part in operands(tree)):
        return Tree(0)
    unit = 0 if tree.label == SUM else 1
    rest = [branch for branch in tree.branches if branch[1].label != unit]
    if len(rest) == len(tree.branches):
        return None
    return Tree(tree.label, rest) if len(rest) > 1 else rest[0][1]
