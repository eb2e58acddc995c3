"""Whole numbers built from 0 and the successor S, and their sums, written as Python writes them."""

from __future__ import annotations

import ast

from grapheme.domains.terms import node, term_domain
from grapheme.graph.tree import Tree, operands

SUM, SUCCESSOR, ZERO = "+", "S", "0"


def _read(syntax: ast.AST) -> Tree | None:
    match syntax:
        case ast.Constant(0):
            return node(ZERO)
        case ast.Call(ast.Name("S"), [inner], []):
            below = _read(inner)
            return node(SUCCESSOR, below) if below else None
        case ast.BinOp(left, ast.Add(), right):
            first, second = _read(left), _read(right)
            return node(SUM, first, second) if first and second else None
    return None


def write(term: Tree) -> str:
    """Return a term with the brackets by which it is read back as the same tree."""
    parts = [write(part) for part in operands(term)]
    if term.label == SUM:
        second = f"({parts[1]})" if operands(term)[1].label == SUM else parts[1]
        return f"{parts[0]} + {second}"
    return f"S({parts[0]})" if parts else str(term.label)


NUMBER = term_domain("peano", "sum of 0 and S(...)", _read, write)
