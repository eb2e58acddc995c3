"""Mathematics as a graph: one node for each number, name, operator and function of an expression."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from functools import reduce
from typing import Any, final

import numpy as np

from grapheme.errors import InvalidInputError, nearest
from grapheme.graph import expression, tree
from grapheme.graph.abstract import AbstractGraph

CONSTANTS = {"e": math.e, "pi": math.pi, "tau": math.tau}
"""Names that stand for a number unless a value is given."""

LONGEST = 10_000
"""Bits of a whole number up to which powers are exact; beyond, 9^9^9 would take for ever."""


@final
@dataclass(frozen=True, eq=False, repr=False)
class MathGraph(AbstractGraph):
    """A tree whose edges lead from operands to what is done with them, labelled with the operand's place.

    Operands of ``+`` and ``*`` have no place: they are all labelled 0 and kept in one order, so ``x + y`` and ``y +
    x`` are one graph. A power is ``^``, a minus before an operand ``neg``.
    """

    @classmethod
    def from_expression(cls, text: str) -> MathGraph:
        """Return the graph of ``+ - * / ^ **``, brackets, functions, numbers and names."""
        return cls(tree.to_graph(expression.parse(text)).csr)

    @classmethod
    def from_graph(cls, graph: AbstractGraph) -> MathGraph:
        """Return a graph of operands and operators as mathematics, its nodes numbered as ``from_expression`` would."""
        return cls(tree.to_graph(expression.normal(tree.from_graph(graph, "mathematics"))).csr)

    def to_expression(self) -> str:
        """Return the expression, with no bracket that is not needed."""
        return expression.write(self._tree())

    @property
    def variables(self) -> tuple[str, ...]:
        """The names that need a value, ascending."""
        names = {branch.label for branch in tree.leaves_first(self._tree()) if not branch.branches}
        return tuple(sorted(name for name in names if isinstance(name, str) and name not in CONSTANTS))

    def evaluate(self, **values: Any) -> Any:
        """Return the value for numbers or numpy arrays given by name; ``e``, ``pi`` and ``tau`` are known."""
        self._check_names(values)
        known = {**CONSTANTS, **values}
        functions = ARRAY_FUNCTIONS if any(np.ndim(value) for value in values.values()) else FUNCTIONS
        results: dict[int, Any] = {}
        root = self._tree()
        try:
            for node in tree.leaves_first(root):
                operands = [results.pop(id(branch)) for _, branch in node.branches]
                results[id(node)] = functions[str(node.label)](operands) if operands else _leaf(node.label, known)
        except (ArithmeticError, ValueError) as error:
            reason = f"{node.label}({', '.join(map(str, operands))}): {error}"
            raise InvalidInputError(f"The expression has no value here, because of {reason}.") from None
        return results[id(root)]

    def _tree(self) -> tree.Tree:
        root = tree.from_graph(self, "mathematics")
        for node in tree.leaves_first(root):
            if node.label not in expression.COMMUTATIVE:
                node.branches.sort(key=lambda branch: branch[0])  # type: ignore[arg-type, return-value]
        return root

    def _check_names(self, values: dict[str, Any]) -> None:
        names = {branch.label for branch in tree.leaves_first(self._tree()) if not branch.branches}
        for name in self.variables:
            if name not in values:
                raise InvalidInputError(f"Give a value for '{name}'.")
        for name in values:
            if name not in names:
                raise InvalidInputError(f"The expression has no variable '{name}'.{nearest(name, self.variables)}")


def _leaf(label: Hashable, known: dict[str, Any]) -> Any:
    return known[label] if isinstance(label, str) else label


def _power(operands: list[Any]) -> Any:
    base, exponent = operands
    if isinstance(base, int) and isinstance(exponent, int) and abs(base).bit_length() * exponent > LONGEST:
        base = float(base)
    result = base**exponent
    if isinstance(result, complex):
        raise ValueError("the root of a negative number is not real")  # noqa: TRY004 - a matter of value, not of type
    return result


def _of(function: Callable[..., Any]) -> Callable[[list[Any]], Any]:
    return lambda operands: function(*operands)


def _over(function: Callable[[Any, Any], Any]) -> Callable[[list[Any]], Any]:
    return lambda operands: reduce(function, operands)


OPERATORS: dict[str, Callable[[list[Any]], Any]] = {
    expression.SUM: _over(operator.add),
    expression.PRODUCT: _over(operator.mul),
    expression.DIFFERENCE: _of(operator.sub),
    expression.QUOTIENT: _of(operator.truediv),
    expression.NEGATIVE: _of(operator.neg),
    expression.POWER: _power,
    "abs": _of(abs),
}
FUNCTIONS: dict[str, Callable[[list[Any]], Any]] = {
    **{name: _of(getattr(math, name)) for name in expression.FUNCTIONS if name not in ("abs", "max", "min")},
    **OPERATORS,
    "max": _over(max),
    "min": _over(min),
}
_NUMPY_NAMES = {
    "acos": "arccos",
    "asin": "arcsin",
    "atan": "arctan",
    "atan2": "arctan2",
    "max": "maximum",
    "min": "minimum",
}
ARRAY_FUNCTIONS: dict[str, Callable[[list[Any]], Any]] = {
    **{name: _over(getattr(np, _NUMPY_NAMES.get(name, name))) for name in ("max", "min")},
    **{
        name: _of(getattr(np, _NUMPY_NAMES.get(name, name)))
        for name in expression.FUNCTIONS
        if name not in ("max", "min")
    },
    **OPERATORS,
}
