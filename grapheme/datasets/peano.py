"""Addition of whole numbers built from 0 and the successor S, as in Graph Edit Networks (Paassen et al. 2021).

Four rules, of which the first that applies is used:

1. ``a + 0`` is a
2. ``0 + a`` is a
3. ``a + S(b)`` is S(a + b)
4. ``S(a) + b`` is S(a + b)

One step uses them wherever one applies, but not just below such a place. Steps end at S(...S(0)...), the sum.
"""

from __future__ import annotations

import numpy as np

from grapheme.datasets.drawing import Sizes, drawn_task
from grapheme.datasets.pairs import Pair
from grapheme.datasets.rewriting import step
from grapheme.domains.numerals import NUMBER, SUCCESSOR, SUM, ZERO, write
from grapheme.domains.terms import node
from grapheme.graph import tree
from grapheme.graph.tree import Tree, operands

LARGEST = 3
"""The largest number in a sum that is drawn."""
MOST_SUMS = 4
MOST_STEPS = 3


def rule(term: Tree) -> Tree | None:
    """Return what a sum becomes by the first of the rules that applies at its root."""
    if term.label != SUM:
        return None
    first, second = operands(term)
    if second.label == ZERO:
        return first
    if first.label == ZERO:
        return second
    if second.label == SUCCESSOR:
        return node(SUCCESSOR, node(SUM, first, operands(second)[0]))
    if first.label == SUCCESSOR:
        return node(SUCCESSOR, node(SUM, operands(first)[0], second))
    return None


def draw(rng: np.random.Generator) -> Pair:
    """Return a sum that is perhaps half worked out, and the same a step later."""
    while True:
        term = _term(rng, int(rng.integers(1, MOST_SUMS + 1)))
        for _ in range(rng.integers(MOST_STEPS)):
            term = step(term, rule)
        if any(part.label == SUM for part in tree.leaves_first(term)):
            later = step(term, rule)
            return Pair(tree.to_graph(term), tree.to_graph(later), (write(term), write(later)))


def _term(rng: np.random.Generator, sums: int) -> Tree:
    if sums == 0:
        number = node(ZERO)
        for _ in range(rng.integers(LARGEST + 1)):
            number = node(SUCCESSOR, number)
        return number
    left = int(rng.integers(sums))
    return node(SUM, _term(rng, left), _term(rng, sums - 1 - left))


PEANO = drawn_task(
    "peano",
    "addition of successors of 0 by four rules",
    NUMBER,
    draw,
    Sizes(train=12000, validation=500),
)
