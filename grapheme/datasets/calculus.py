"""Derivatives of sums of simple terms, and moves from one side of an equation to the other: each step at one go.

- A derivative is that of its terms, of which constants go: ``x`` gives 1, ``c*x`` gives c, ``x^n`` gives n*x^(n-1),
  ``c*x^n`` gives (c*n)*x^(n-1) worked out, ``sin(x)`` gives cos(x), ``cos(x)`` gives -sin(x), ``exp(x)`` gives itself
  and ``log(x)`` gives 1/x. A power of 1 is not written.
- In an equation with a number on the right, the number that was last applied on the left moves over.
"""

from __future__ import annotations

from grapheme.graph.expression import DIFFERENCE, NEGATIVE, POWER, PRODUCT, QUOTIENT, SUM
from grapheme.graph.tree import Tree, operands

INVERSE = {SUM: DIFFERENCE, DIFFERENCE: SUM, PRODUCT: QUOTIENT, QUOTIENT: PRODUCT}
X = "x"


def derivative(root: Tree) -> Tree:
    """Return the derivative of a sum of terms, or of one term, by x."""
    terms = operands(root) if root.label == SUM else [root]
    found = [_term(term) for term in terms if term.branches or term.label == X]
    return Tree(SUM, [(0, term) for term in found]) if len(found) > 1 else found[0]


def move(left: Tree, right: Tree) -> tuple[Tree, Tree]:
    """Return both sides of an equation after the outermost number of the left has moved to the right."""
    parts = operands(left)
    number, rest = parts if isinstance(parts[0].label, int) and not parts[0].branches else parts[::-1]
    if left.label == DIFFERENCE and number is parts[0]:
        return rest, _pair(DIFFERENCE, number, right)
    return rest, _pair(INVERSE[str(left.label)], right, number)


def _term(term: Tree) -> Tree:
    parts = operands(term)
    if term.label == X:
        return Tree(1)
    if term.label == PRODUCT:
        factor, inner = sorted(parts, key=lambda part: not isinstance(part.label, int))
        return Tree(factor.label) if inner.label == X else _power(int(str(factor.label)), _exponent(inner))
    if term.label == POWER:
        return _power(1, _exponent(term))
    return {
        "sin": _pair("cos", parts[0]),
        "cos": _pair(NEGATIVE, _pair("sin", parts[0])),
        "exp": term,
        "log": _pair(QUOTIENT, Tree(1), parts[0]),
    }[str(term.label)]


def _power(factor: int, exponent: int) -> Tree:
    inner = Tree(X) if exponent == 2 else _pair(POWER, Tree(X), Tree(exponent - 1))
    return Tree(PRODUCT, [(0, Tree(factor * exponent)), (0, inner)])


def _exponent(power: Tree) -> int:
    return int(str(operands(power)[1].label))


def _pair(label: str, *parts: Tree) -> Tree:
    places = (0,) * len(parts) if label in (SUM, PRODUCT) else range(len(parts))
    return Tree(label, list(zip(places, parts, strict=True)))
