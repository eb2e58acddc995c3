"""The sixteen two-input gates: soft mixtures of them, and hard operation codes.

Every gate is bilinear in (1, a, b, ab), and so is a mixture of gates. Kernels therefore see four
coefficients a gate, ``out = c0 + c1*a + c2*b + c3*a*b``, and know nothing of the sixteen operations.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from grapheme.arrays import Array, Namespace

NAMES = (
    "FALSE", "A AND B", "A AND NOT B", "A", "NOT A AND B", "B", "A XOR B", "A OR B",
    "A NOR B", "A XNOR B", "NOT B", "A OR NOT B", "NOT A", "NOT A OR B", "A NAND B", "TRUE",
)  # fmt: skip
"""The operations by their code, in the order of the published work."""

FALSE, AND, AND_NOT, PASS_A, PASS_B, XOR, OR, NOT_B, OR_NOT, NOT_A, TRUE = 0, 1, 2, 3, 5, 6, 7, 10, 11, 12, 15

WIRES = (PASS_A, PASS_B)
"""Operations that need no gate: one of the inputs passes through."""

BILINEAR = np.array(
    [
        [0, 0, 0, 0], [0, 0, 0, 1], [0, 1, 0, -1], [0, 1, 0, 0],
        [0, 0, 1, -1], [0, 0, 1, 0], [0, 1, 1, -2], [0, 1, 1, -1],
        [1, -1, -1, 1], [1, -1, -1, 2], [1, 0, -1, 0], [1, 0, -1, 1],
        [1, -1, 0, 0], [1, -1, 0, 1], [1, 0, 0, -1], [1, 0, 0, 0],
    ],
    dtype=np.int8,
)  # fmt: skip
"""Row ``code`` holds the coefficients of (1, a, b, ab) of that operation over the reals."""

BILINEAR.setflags(write=False)

POLYNOMIAL = (BILINEAR % 2).astype(bool)
"""The same over bits, with XOR for plus and AND for times: the table modulo two."""

POLYNOMIAL.setflags(write=False)

_TERMS = POLYNOMIAL.tolist()
"""The same as lists, which are quicker to read a row of."""


def value(code: int, a: bool, b: bool) -> bool:
    """Return what the operation makes of two bits: its code lists them, (0, 0) first, as binary digits."""
    return bool(code >> (3 - 2 * a - b) & 1)


def code_of(function: Callable[[bool, bool], bool]) -> int:
    """Return the code of the operation that computes ``function``."""
    return sum(function(a, b) << (3 - 2 * a - b) for a in (False, True) for b in (False, True))


@functools.cache
def masks(dtype: np.dtype[Any]) -> np.ndarray:
    """Return (16, 4) words of ``dtype``: ``POLYNOMIAL`` with all bits of a word for a 1, and none for a 0."""
    return np.where(POLYNOMIAL, np.invert(np.zeros((), dtype)), np.zeros((), dtype))


def on_words(code: int, a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Return what an operation makes of words, bit by bit; truth values are words of one bit.

    Only the terms that the operation has are computed: words are few where circuits are searched for smaller ones.
    """
    one, of_a, of_b, of_both = _TERMS[code]
    result = a & b if of_both else np.zeros_like(a)
    if of_a:
        result ^= a
    if of_b:
        result ^= b
    return np.invert(result) if one else result


def each_on_words(codes: np.ndarray, a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Return the same for gates with an operation each: ``codes (gates,)`` on words ``(gates, words)``."""
    one, of_a, of_b, of_both = masks(a.dtype).T[:, codes, None]
    return np.asarray(one ^ (of_a & a) ^ (of_b & b) ^ (of_both & a & b))


def softmax(logits: Array, xp: Namespace) -> Array:
    """Return the softmax of ``logits (..., 16)`` over their last axis."""
    weights = xp.exp(logits - _fold(xp.maximum, logits))
    return weights / _fold(xp.add, weights)


def coefficients(mixture: Array, xp: Namespace) -> Array:
    """Return the coefficients ``(P, 4)`` of gates that mix the operations by ``mixture (P, 16)``."""
    return mixture @ _table(mixture, xp)


def pull_back(mixture: Array, grad: Array, xp: Namespace) -> Array:
    """Return the gradient of the logits ``(P, 16)`` given ``mixture`` = softmax(logits) and ``grad (P, 4)``."""
    direct = grad @ xp.matrix_transpose(_table(mixture, xp))
    return mixture * (direct - _fold(xp.add, mixture * direct))


def operation_codes(logits: Array, xp: Namespace) -> Array:
    """Return the code ``(P,)`` uint8 of the heaviest operation of each gate; the first of equals wins."""
    return xp.astype(xp.argmax(logits, axis=-1), xp.uint8)


def _fold(operation: Callable[[Array, Array], Array], table: Array) -> Array:
    """Reduce the last axis, keeping it, one column after another: libraries are slow on a short last axis."""
    return functools.reduce(operation, (table[..., k] for k in range(table.shape[-1])))[..., None]


def _table(like: Array, xp: Namespace) -> Array:
    return xp.asarray(BILINEAR.tolist(), dtype=like.dtype, device=like.device)
