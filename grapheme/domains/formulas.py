"""Formulas over and, or, not, True, False, x and y, written as Python writes them."""

from __future__ import annotations

import ast

from grapheme.domains.terms import node, term_domain
from grapheme.graph.tree import Tree, operands

VARIABLES = ("x", "y")
CONSTANTS = ("True", "False")
BINARY = ("and", "or")


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


def write(formula: Tree) -> str:
    """Return a formula as Python writes it, an operator's operands in brackets."""
    parts = [write(part) if not part.branches else f"({write(part)})" for part in operands(formula)]
    if not parts:
        return str(formula.label)
    if formula.label == "not":
        return f"not {parts[0]}"
    return f"{parts[0]} {formula.label} {parts[1]}"


FORMULA = term_domain("boolean", "formula of and, or, not, True, False, x and y", _read, write)
