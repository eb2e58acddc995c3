"""Mathematics in seven levels, each a step of working something out.

1. arithmetic: ``(2 + 3)*4 - 6``     2. nesting: the same, deeper     3. substitution: ``x^2 + y where x = 3``
4. functions: ``sqrt(9) + y``        5. differentiation: ``d/dx 3*x^2 + sin(x)``
6. simplification: ``(x + 0)*1``     7. equations: ``2*x + 3 = 7``

All levels are one function of the graph, so they can be learnt together.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence

import numpy as np

from grapheme.datasets import algebra, calculus
from grapheme.datasets.drawing import Draw, Sizes, any_of, drawn_task, written
from grapheme.datasets.rewriting import same, step
from grapheme.domains.statements import DERIVATIVE, EQUATION, MATH, WHERE
from grapheme.graph import expression
from grapheme.graph.expression import DIFFERENCE, NEGATIVE, POWER, PRODUCT, QUOTIENT, SUM, write
from grapheme.graph.tree import Tree, leaves_first, operands

Rng = np.random.Generator
DIGITS = range(2, 10)
"""Numbers that no rule of simplification singles out."""
NAMES = ("x", "y", "z")
OPERATORS = (SUM, DIFFERENCE, PRODUCT)

WHOLE = {
    "sqrt": (0, 1, 4, 9, 16, 25, 36, 49, 64, 81),
    "abs": tuple(range(-9, 10)),
    "floor": (0.5, 1.5, 2.5, 3.5, 4.5),
    "ceil": (0.5, 1.5, 2.5, 3.5, 4.5),
    "log2": (1, 2, 4, 8, 16),
    "log10": (1, 10, 100),
    "exp": (0,),
    "sin": (0,),
    "cos": (0,),
}
"""Arguments for which functions give whole numbers."""


def _pick(rng: Rng, choices: Sequence[Hashable]) -> Hashable:
    return choices[int(rng.integers(len(choices)))]


def _join(label: str, *parts: Tree) -> Tree:
    places = (0,) * len(parts) if label in expression.COMMUTATIVE else range(len(parts))
    return Tree(label, list(zip(places, parts, strict=True)))


def _grow(rng: Rng, operators: int, leaf: Callable[[Rng], Tree], above: str = "", deep: bool = False) -> Tree:
    """Return a random expression; no sum just below a sum, nor product below product: these would be one."""
    if operators == 0:
        return leaf(rng)
    label = str(_pick(rng, [name for name in OPERATORS if name != above or name == DIFFERENCE]))
    left = int(rng.integers(operators)) if not deep else (operators - 1) * int(rng.integers(2))
    parts = (left, operators - 1 - left)
    return _join(label, *(_grow(rng, part, leaf, label, deep) for part in parts))


def _digit(rng: Rng) -> Tree:
    return Tree(_pick(rng, DIGITS))


def _name_or_digit(rng: Rng) -> Tree:
    return Tree(_pick(rng, NAMES)) if rng.random() < 0.6 else _digit(rng)


def _worked(rng: Rng, draw: Callable[[Rng], Tree]) -> tuple[str, str]:
    """Return an expression and what it is a step later; not one whose writing would say less than its tree."""
    while True:
        source = write(draw(rng))
        root = expression.parse(source)
        later = step(root, algebra.rule)
        if not same(root, later) and _is_read_back(later):
            return source, write(later)


def _is_read_back(root: Tree) -> bool:
    """Say whether reading what is written gives the same tree: ``x + (y + z)`` and ``x + (y - z)`` would not."""
    return _form(expression.parse(write(root))) == _form(root)


def _form(root: Tree) -> str:
    """Return the tree with brackets around everything, operands that may stand in any order sorted."""
    parts = [_form(part) for part in operands(root)]
    return f"({root.label!r} {' '.join(sorted(parts) if root.label in expression.COMMUTATIVE else parts)})"


def arithmetic(rng: Rng) -> tuple[str, str]:
    """Two to four operators between digits."""
    return _worked(rng, lambda rng: _grow(rng, int(rng.integers(2, 5)), _digit))


def nesting(rng: Rng) -> tuple[str, str]:
    """Three to six operators between digits, each inside the one before."""
    return _worked(rng, lambda rng: _grow(rng, int(rng.integers(3, 7)), _digit, deep=True))


def substitution(rng: Rng) -> tuple[str, str]:
    """Names and digits, and the values of some of the names."""
    while True:
        source = write(_grow(rng, int(rng.integers(2, 5)), _name_or_digit))
        root = expression.parse(source)
        leaves = [tree for tree in leaves_first(root) if not tree.branches]
        names = sorted({str(leaf.label) for leaf in leaves if leaf.label in NAMES})
        if names and _is_read_back(root):
            break
    bound = {name: _pick(rng, DIGITS) for name in names[: int(rng.integers(1, 3))]}
    for leaf in leaves:
        leaf.label = bound.get(str(leaf.label), leaf.label)
    return source + WHERE + ", ".join(f"{name} = {value}" for name, value in bound.items()), write(root)


def functions(rng: Rng) -> tuple[str, str]:
    """Names and digits, and functions of numbers or names; one in four is of digits alone, which meet seldom else."""
    leaf = _digit if rng.random() < 0.25 else _call
    return _worked(rng, lambda rng: _grow(rng, int(rng.integers(1, 4)), leaf))


def differentiation(rng: Rng) -> tuple[str, str]:
    """One to four terms in x."""
    terms = [_term(rng) for _ in range(rng.integers(1, 5))]
    if rng.random() < 0.3:
        terms.append(_digit(rng))
    root = terms[0] if len(terms) == 1 else _join(SUM, *terms)
    return f"{DERIVATIVE} {write(root)}", write(calculus.derivative(root))


def simplification(rng: Rng) -> tuple[str, str]:
    """Names and digits with operands that change nothing."""
    return _worked(rng, lambda rng: _cluttered(rng, _grow(rng, int(rng.integers(1, 4)), _name_or_digit)))


def equations(rng: Rng) -> tuple[str, str]:
    """One to three operations on x, and their result."""
    left, value = Tree("x"), int(rng.integers(1, 10))
    for _ in range(rng.integers(1, 4)):
        left, value = _applied(rng, left, value)
    moved = calculus.move(left, Tree(value))
    return tuple(f"{write(a)} {EQUATION} {write(b)}" for a, b in ((left, Tree(value)), moved))  # type: ignore[return-value]


def _call(rng: Rng) -> Tree:
    kind = rng.random()
    if kind < 0.35:
        return _name_or_digit(rng)
    if kind < 0.5:
        return _join(str(_pick(rng, ("max", "min"))), *(Tree(int(rng.integers(6))) for _ in range(2)))
    name = str(_pick(rng, tuple(WHOLE)))
    return _join(name, Tree(_pick(rng, NAMES if kind < 0.6 else WHOLE[name])))


def _term(rng: Rng) -> Tree:
    power = _join(POWER, Tree("x"), Tree(int(rng.integers(2, 6))))
    kind = rng.integers(5)
    if kind < 2:
        return (Tree("x"), power)[kind]
    if kind < 4:
        return _join(PRODUCT, _digit(rng), (Tree("x"), power)[kind - 2])
    return _join(str(_pick(rng, ("sin", "cos", "exp", "log"))), Tree("x"))


def _cluttered(rng: Rng, root: Tree) -> Tree:
    """Return the expression with something that changes little around one or two of its parts."""
    for _ in range(rng.integers(1, 3)):
        parts = leaves_first(root)
        part = parts[rng.integers(len(parts))]
        inner = Tree(part.label, part.branches)
        part.label, part.branches = (lambda tree: (tree.label, tree.branches))(_clutter(rng, inner))
    return root


def _clutter(rng: Rng, inner: Tree) -> Tree:
    kind = rng.integers(9)
    if kind == 8:
        return _join(NEGATIVE, _join(NEGATIVE, inner))
    if kind == 7:
        return _join(DIFFERENCE, Tree("x"), Tree("x"))
    labels = (SUM, DIFFERENCE, PRODUCT, PRODUCT, QUOTIENT, POWER, POWER)
    return _join(labels[kind], inner, Tree((0, 0, 1, 0, 1, 1, 0)[kind]))


def _applied(rng: Rng, left: Tree, value: int) -> tuple[Tree, int]:
    """Return an operation with a digit on the left, and the value that it has."""
    number = int(rng.integers(2, 10))
    kind = rng.integers(5)
    if kind == 0 and left.label != SUM:
        return _join(SUM, Tree(number), left), value + number
    if kind == 1 and left.label != PRODUCT and abs(value * number) < 100:
        return _join(PRODUCT, Tree(number), left), value * number
    if kind == 2 and value % number == 0:
        return _join(QUOTIENT, left, Tree(number)), value // number
    if kind == 3:
        return _join(DIFFERENCE, Tree(number), left), number - value
    return _join(DIFFERENCE, left, Tree(number)), value - number


LEVELS = (arithmetic, nesting, substitution, functions, differentiation, simplification, equations)
DRAWS: tuple[Draw, ...] = tuple(written(MATH, level) for level in LEVELS)


LEVEL = Sizes(train=6000, validation=500)
SIZES = {4: Sizes(train=8000, validation=500)}
"""For levels that need more pairs."""
MATH_LEVELS = tuple(
    drawn_task(
        f"math-{number}",
        f"mathematics: {level.__name__}",
        MATH,
        draw,
        SIZES.get(number, LEVEL),
    )
    for number, (level, draw) in enumerate(zip(LEVELS, DRAWS, strict=True), 1)
)
ALL = Sizes(train=2800, validation=280, test=420)
MATHEMATICS = drawn_task("math", "mathematics, all seven levels", MATH, any_of(DRAWS), ALL)
