"""Expressions as they are written: from characters to a tree and back."""

from __future__ import annotations

import re
from collections.abc import Hashable

from grapheme.errors import InvalidInputError
from grapheme.graph.tree import Tree, leaves_first

SUM, DIFFERENCE, PRODUCT, QUOTIENT, NEGATIVE, POWER = "+", "-", "*", "/", "neg", "^"
COMMUTATIVE = (SUM, PRODUCT)
"""Operators with any number of operands, kept in one order however they were written."""

FUNCTIONS = {
    "abs": 1, "acos": 1, "asin": 1, "atan": 1, "atan2": 2, "ceil": 1, "cos": 1, "cosh": 1, "exp": 1, "floor": 1,
    "log": 1, "log10": 1, "log2": 1, "max": 2, "min": 2, "sin": 1, "sinh": 1, "sqrt": 1, "tan": 1, "tanh": 1,
}  # fmt: skip
"""The functions that can be called, and how many arguments each takes; ``max`` and ``min`` take more, too."""
MANY = ("max", "min")

BINDING = {SUM: 1, DIFFERENCE: 1, PRODUCT: 2, QUOTIENT: 2, NEGATIVE: 3, POWER: 4}
ATOM = 5
DEEPEST = 150
"""How many brackets, signs and powers may be open at once."""

TOKEN = re.compile(
    r"\s*(?:(?P<number>(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)|(?P<name>[^\W\d]\w*)|(?P<sign>\*\*|[-+*/^(),]))"
)


def parse(text: str) -> Tree:
    """Return the tree of an expression, operands of commutative operators in one order."""
    if not isinstance(text, str):
        raise InvalidInputError(f"Give the expression as a string; got {type(text).__name__}.")
    return _canonical(_Parser(text).whole())


def write(root: Tree) -> str:
    """Return the expression of a tree, with no bracket that is not needed."""
    written: dict[int, tuple[str, int]] = {}
    for tree in leaves_first(root):
        written[id(tree)] = _written(tree, [written.pop(id(branch)) for _, branch in tree.branches])
    return written[id(root)][0]


def normal(root: Tree) -> Tree:
    """Return any tree of operators, functions, names and numbers in the form that ``parse`` makes."""
    for tree in leaves_first(root):
        _check_node(tree)
        if tree.label not in COMMUTATIVE:
            tree.branches.sort(key=lambda branch: _place(branch[0]))
    return parse(write(root))


class _Parser:
    """Reads an expression by the binding strength of its operators (Pratt 1973)."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.tokens = self._tokens()
        self.at = 0
        self.depth = 0

    def whole(self) -> Tree:
        tree = self.expression(0)
        if self.peek():
            raise self.error(f"'{self.peek()}' does not belong here")
        return tree

    def expression(self, binding: int) -> Tree:
        """Read as far as operators bind more tightly than ``binding``."""
        self.depth += 1
        if self.depth > DEEPEST:
            raise self.error(f"more than {DEEPEST} brackets or signs are open at once")
        left = self.operand()
        while BINDING.get(self.peek(), 0) > binding:
            sign = self.next()
            # A power binds to the right, 2^3^2 = 2^(3^2); all others to the left.
            right = self.expression(BINDING[sign] - (sign == POWER))
            left = _joined(sign, left, right)
        self.depth -= 1
        return left

    def operand(self) -> Tree:
        token = self.next()
        if token in ("+", "-"):
            inner = self.expression(BINDING[NEGATIVE])
            return inner if token == "+" else _negative(inner)
        if token == "(":
            tree = self.expression(0)
            self.expect(")")
            return tree
        if token[:1].isdigit() or token[:1] == ".":
            return Tree(self.number(token))
        if token.isidentifier():
            return self.call(token) if self.peek() == "(" else Tree(token)
        raise self.error(
            f"a number, a name or a bracket should come before '{token}'" if token else "the expression ends too soon",
            -1,
        )

    def call(self, name: str) -> Tree:
        if name not in FUNCTIONS:
            raise self.error(f"there is no function '{name}'; there are {', '.join(FUNCTIONS)}", -1)
        self.next()
        arguments = [self.expression(0)]
        while self.peek() == ",":
            self.next()
            arguments.append(self.expression(0))
        self.expect(")")
        if not _takes(name, len(arguments)):
            raise self.error(f"{name} does not take {len(arguments)} arguments but {FUNCTIONS[name]}", -1)
        return Tree(name, list(enumerate(arguments)))

    def number(self, token: str) -> int | float:
        value = int(token) if token.isdigit() and len(token) < 300 else float(token)
        if value == float("inf"):
            raise self.error(f"the number {token[:20]} is too large", -1)
        return value

    def peek(self) -> str:
        return self.tokens[self.at][0] if self.at < len(self.tokens) else ""

    def next(self) -> str:
        self.at += 1
        return self.tokens[self.at - 1][0] if self.at <= len(self.tokens) else ""

    def expect(self, token: str) -> None:
        if self.next() != token:
            raise self.error(f"'{token}' is missing", -1)

    def error(self, problem: str, shift: int = 0) -> InvalidInputError:
        index = self.at + shift
        place = self.tokens[index][1] if index < len(self.tokens) else len(self.text)
        return InvalidInputError(f"Cannot read the expression at character {place + 1}: {problem}.")

    def _tokens(self) -> list[tuple[str, int]]:
        tokens, at, end = [], 0, len(self.text.rstrip())
        while at < end:
            match = TOKEN.match(self.text, at)
            if match is None:
                at += len(self.text[at:]) - len(self.text[at:].lstrip())
                raise InvalidInputError(
                    f"Cannot read the expression at character {at + 1}: '{self.text[at]}' means nothing here."
                )
            kind = str(match.lastgroup)
            token = match[kind]
            tokens.append((POWER if token == "**" else token, match.start(kind)))
            at = match.end()
        return tokens


def _joined(sign: str, left: Tree, right: Tree) -> Tree:
    if sign not in COMMUTATIVE:
        return Tree(sign, [(0, left), (1, right)])
    operands = [operand for side in (left, right) for operand in (side.branches if side.label == sign else [(0, side)])]
    return Tree(sign, operands)


def _negative(tree: Tree) -> Tree:
    """Return minus a tree; minus a number is a number."""
    return (
        Tree(-tree.label) if isinstance(tree.label, (int, float)) and not tree.branches else Tree(NEGATIVE, [(0, tree)])
    )


def _canonical(root: Tree) -> Tree:
    """Put the operands of commutative operators in the order of what they look like, numbers first."""
    written: dict[int, tuple[str, int]] = {}
    for tree in leaves_first(root):
        if tree.label in COMMUTATIVE:
            tree.branches.sort(key=lambda branch: _order(branch[1], written[id(branch[1])][0]))
        written[id(tree)] = _written(tree, [written.pop(id(branch)) for _, branch in tree.branches])
    return root


def _order(tree: Tree, text: str) -> tuple[int, float, str]:
    number = isinstance(tree.label, (int, float))
    return (0, float(tree.label), text) if number else (1, 0.0, text)  # type: ignore[arg-type]


def _written(tree: Tree, parts: list[tuple[str, int]]) -> tuple[str, int]:
    """Return how a tree is written, and how tightly that binds, given the same for its branches."""
    label = tree.label
    if not parts:
        text = repr(label) if isinstance(label, (int, float)) else str(label)
        return text, BINDING[NEGATIVE] if text.startswith("-") else ATOM
    if label in FUNCTIONS:
        return f"{label}({', '.join(text for text, _ in parts)})", ATOM
    binding = BINDING[str(label)]
    if label == NEGATIVE:
        return "-" + _bracketed(parts[0], binding), binding
    if label == POWER:
        return f"{_bracketed(parts[0], ATOM)}^{_bracketed(parts[1], BINDING[NEGATIVE])}", binding
    rest = [_bracketed(part, binding + 1) for part in parts[1:]]
    space = " " if binding == BINDING[SUM] else ""
    return f"{space}{label}{space}".join([_bracketed(parts[0], binding), *rest]), binding


def _bracketed(part: tuple[str, int], binding: int) -> str:
    text, own = part
    return text if own >= binding else f"({text})"


def _takes(name: str, count: int) -> bool:
    return count == FUNCTIONS[name] or (name in MANY and count > 2)


def _check_node(tree: Tree) -> None:
    label, count = tree.label, len(tree.branches)
    if not count:
        good = _is_number(label) or (isinstance(label, str) and label.isidentifier())
    elif label in FUNCTIONS:
        good = _takes(str(label), count)
    else:
        wanted = {DIFFERENCE: 2, QUOTIENT: 2, POWER: 2, NEGATIVE: 1}
        good = count > 1 if label in COMMUTATIVE else wanted.get(label) == count  # type: ignore[call-overload]
    if not good:
        raise InvalidInputError(f"A node labelled {label!r} with {count} operands is no part of an expression.")


def _place(label: Hashable) -> int:
    if not isinstance(label, int):
        raise InvalidInputError(
            f"An edge of an expression is labelled with the place of the operand, 0 or more; got {label!r}."
        )
    return label


def _is_number(label: Hashable) -> bool:
    return isinstance(label, (int, float)) and not isinstance(label, bool) and abs(label) < float("inf")
