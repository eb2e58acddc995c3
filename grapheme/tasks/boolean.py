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

import ast
from functools import partial

import numpy as np

from grapheme.graph import tree
from grapheme.graph.tree import Tree
from grapheme.tasks.drawing import Sizes, draw_sets
from grapheme.tasks.pairs import GraphTask, Pair
from grapheme.tasks.rewriting import operands, same, step
from grapheme.tasks.terms import node, term_domain

VARIABLES = ("x", "y")
CONSTANTS = ("True", "False")
BINARY = ("and", "or")
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
            return Pair(tree.to_graph(formula), tree.to_graph(simpler), (_write(formula), _write(simpler)))


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


def _read(syntax: ast.AST) -> Tree | None:
    match syntax:
        case ast.Name(id) if id in VARIABLES:
            return node(id)
        case ast.Constant(True | False):
            return node(str(syntax.value))
        case ast.UnaryOp(ast.Not(), operand):
            inner = _read(operand)
            return node("not", inner) if inner else None
        case ast.BoolOp(operator, [*values]):
            label = "and" if isinstance(operator, ast.And) else "or"
            return _joined(label, [_read(value) for value in values])
    return None


def _joined(label: str, parts: list[Tree | None]) -> Tree | None:
    """Return operands joined two by two from the left, as ``x and y and z`` is understood."""
    left, *rest = parts
    for right in rest:
        left = node(label, left, right) if left and right else None
    return left


def _write(formula: Tree) -> str:
    parts = [_write(part) if not part.branches else f"({_write(part)})" for part in operands(formula)]
    if not parts:
        return str(formula.label)
    if formula.label == "not":
        return f"not {parts[0]}"
    return f"{parts[0]} {formula.label} {parts[1]}"


FORMULA = term_domain("boolean", "formula of and, or, not, True, False, x and y", _read, _write)
BOOLEAN = GraphTask(
    "boolean",
    "simplification of logical formulas by eight rules",
    FORMULA,
    partial(draw_sets, draw, Sizes(train=6000, validation=500)),
)
