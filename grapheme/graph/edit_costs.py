"""What edits cost, and those costs as tables of whole numbers."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from grapheme.errors import InvalidInputError

Label: TypeAlias = Hashable
OfOne: TypeAlias = float | Sequence[float] | np.ndarray | Callable[[Any], float]
OfTwo: TypeAlias = float | Sequence[Sequence[float]] | np.ndarray | Callable[[Any, Any], float]

EXACT = 1000
"""Costs that are fractions with denominators up to this are kept exactly; others to one part in ``FINE``."""
FINE = 2**36
LARGEST = 2**60
"""All costs of a pair together stay below this, doubled too, so that no sum overflows."""


@dataclass(frozen=True)
class EditCosts:
    """The cost of every edit; by default 1, and 0 for a node or edge that keeps its label.

    A substitution is a number for labels that differ, a matrix indexed by labels that are whole numbers, or a function
    of the two labels. An insertion or deletion is a number, a sequence indexed likewise, or a function of the label.
    Functions see None for a node or edge without a label. An edge is substituted, or deleted and inserted, whichever is
    cheaper. A loop comes and goes with its node, and becomes the loop of the node that its own becomes.
    """

    node_substitution: OfTwo = 1.0
    node_insertion: OfOne = 1.0
    node_deletion: OfOne = 1.0
    edge_substitution: OfTwo = 1.0
    edge_insertion: OfOne = 1.0
    edge_deletion: OfOne = 1.0

    def __post_init__(self) -> None:
        for name, axes in _AXES.items():
            given = getattr(self, name)
            if not callable(given):
                _check(name, given, axes)

    def node_table(self, labels: Sequence[Label]) -> np.ndarray:
        """Return the cost (labels + 1, labels + 1) of nodes: row and column 0 are none, others follow ``labels``."""
        return _table(self, "node", labels)

    def edge_table(self, labels: Sequence[Label]) -> np.ndarray:
        """Return the same for edges."""
        table = _table(self, "edge", labels)
        cheapest: np.ndarray = np.minimum(table, table[:, :1] + table[:1])
        return cheapest


_AXES = {
    "node_substitution": 2, "node_insertion": 1, "node_deletion": 1,
    "edge_substitution": 2, "edge_insertion": 1, "edge_deletion": 1,
}  # fmt: skip


def whole_numbers(tables: Sequence[np.ndarray], edits: int) -> tuple[list[np.ndarray], Fraction]:
    """Return the tables as int64 multiples of one unit, and the unit; ``edits`` bounds how many costs add up.

    The unit is the largest that all costs are multiples of, for the search can then round its bounds up to it.
    """
    values = sorted({value for table in tables for value in table.ravel().tolist()})
    scale = _scale(values)
    largest = values[-1] * scale * 4 * (edits + 1)
    if largest > LARGEST:
        scale *= Fraction(LARGEST) / Fraction(largest)
    numbers = [round(Fraction(value) * scale) for value in values]
    step = math.gcd(*numbers) or 1
    whole = [np.array(numbers, np.int64)[np.searchsorted(values, table)] // step for table in tables]
    return whole, step / scale


def _scale(values: Sequence[float]) -> Fraction:
    """Return a number by which all values become whole, or nearly."""
    if all(value.is_integer() for value in values):
        return Fraction(1)
    fractions = [Fraction(value).limit_denominator(EXACT) for value in values]
    scale = math.lcm(*(fraction.denominator for fraction in fractions))
    exact = all(float(fraction) == value for fraction, value in zip(fractions, values, strict=True))
    return Fraction(scale) if exact and scale < FINE else Fraction(FINE) / Fraction(values[-1])


def _table(costs: EditCosts, kind: str, labels: Sequence[Label]) -> np.ndarray:
    table = np.zeros((len(labels) + 1, len(labels) + 1))
    names = f"{kind}_insertion", f"{kind}_deletion", f"{kind}_substitution"
    insertion, deletion, substitution = (getattr(costs, name) for name in names)
    table[0, 1:] = [_of_one(names[0], insertion, label) for label in labels]
    table[1:, 0] = [_of_one(names[1], deletion, label) for label in labels]
    for row, label in enumerate(labels, 1):
        table[row, 1:] = [_of_two(names[2], substitution, label, other) for other in labels]
    return table


def _of_one(name: str, cost: OfOne, label: Label) -> float:
    if callable(cost):
        return _cost(name, cost(label))
    return float(cost) if np.ndim(cost) == 0 else float(np.asarray(cost)[_index(name, label, len(cost))])  # type: ignore[arg-type]


def _of_two(name: str, cost: OfTwo, label: Label, other: Label) -> float:
    if callable(cost):
        return _cost(name, cost(label, other))
    if np.ndim(cost) == 0:
        return 0.0 if label == other else float(cost)  # type: ignore[arg-type]
    matrix = np.asarray(cost)
    return float(matrix[_index(name, label, len(matrix)), _index(name, other, len(matrix))])


def _index(name: str, label: Any, size: int) -> int:
    if not isinstance(label, (int, np.integer)) or not 0 <= label < size:
        raise InvalidInputError(f"The table {name} is for the labels 0 to {size - 1}; a graph has the label {label!r}.")
    return int(label)


def _check(name: str, given: ArrayLike, axes: int) -> None:
    try:
        values = np.asarray(given, np.float64)
    except (TypeError, ValueError):
        raise InvalidInputError(f"The cost {name} is a number, a table or a function; got {given!r}.") from None
    if values.ndim not in (0, axes) or (values.ndim == 2 and values.shape[0] != values.shape[1]):
        wanted = "a square matrix" if axes == 2 else "a sequence"
        raise InvalidInputError(f"The table {name} is {wanted} of costs; got the shape {values.shape}.")
    for value in values.ravel():
        _cost(name, value)


def _cost(name: str, value: Any) -> float:
    """Return a cost if it is one."""
    try:
        cost = float(value)
    except (TypeError, ValueError):
        raise InvalidInputError(f"The cost {name} must be a number; got {value!r}.") from None
    if not 0 <= cost < math.inf:
        raise InvalidInputError(f"The cost {name} must be a finite number from 0 up; got {cost}.")
    return cost
