"""Simplification of formulas over and, or, not, True, False, x and y.

The eight rules are those of Graph Edit Networks (Paassen et al. 2021). With ``a`` any formula and ``v`` one of x, y,
not x and not y:

1. ``a and False`` is False            5. ``v and v`` is v
2. ``a and True`` is a                 6. ``v or v`` is v
3. ``a or True`` is True               7. ``v and not v`` is False
4. ``a or False`` is a                 8. ``v or not v`` is True

Operands may stand the other way round. One step uses a rule wherever one applies, but not just below such a place.
"""

from __future__ import annotations

import numpy as np

from grapheme.datasets.drawing import Sizes, drawn_task
from grapheme.datasets.pairs import Pair
from grapheme.datasets.rewriting import same, step
from grapheme.domains.formulas import BINARY, CONSTANTS, FORMULA, VARIABLES, write
from grapheme.domains.terms import node
from grapheme.graph import tree
from grapheme.graph.tree import Tree, operands

WINS = {"and": "False", "or": "True"}
"""The constant that decides an operator; the other one does not matter to it."""
MOST_OPERATORS = 5


def rule(formula: Tree) -> Tree | None:
    """Return what a formula becomes by the first of the rules that applies at its root."""
    if formula.label not in BINARY:
        return None
    wins = WINS[str(formula.label)]
    first, second = operands(formula)
    for one, other in ((first, second), (second, first)):
        if one.label in CONSTANTS:
            return Tree(wins) if one.label == wins else other
    if _literal(first) and _literal(second) and _variable(first) == _variable(second):
        return first if same(first, second) else Tree(wins)
    return None


def draw(rng: np.random.Generator) -> Pair:
    """Return a formula that can be simplified, and the same after a step."""
    while True:
        formula = _formula(rng, int(rng.integers(1, MOST_OPERATORS + 1)))
        simpler = step(formula, rule)
        if not same(formula, simpler):
            return Pair(tree.to_graph(formula), tree.to_graph(simpler), (write(formula), write(simpler)))


def _formula(rng: np.random.Generator, operators: int) -> Tree:
    if operators == 0:
        return _leaf(rng)
    left = int(rng.integers(operators))
    return node(BINARY[rng.integers(2)], _formula(rng, left), _formula(rng, operators - 1 - left))


def _leaf(rng: np.random.Generator) -> Tree:
    if rng.random() < 0.3:
        return node(CONSTANTS[rng.integers(2)])
    variable = node(VARIABLES[rng.integers(2)])
    return node("not", variable) if rng.random() < 0.4 else variable


def _literal(formula: Tree) -> bool:
    return formula.label in VARIABLES or (formula.label == "not" and _literal(operands(formula)[0]))


def _variable(literal: Tree) -> str:
    return str(literal.label) if literal.label in VARIABLES else _variable(operands(literal)[0])


BOOLEAN = drawn_task(
    "boolean",
    "simplification of logical formulas by eight rules",
    FORMULA,
    draw,
    Sizes(train=6000, validation=500),
)
