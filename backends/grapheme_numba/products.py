"""A vector times a matrix, and what its gradient needs: the inner loops of message passing and heads.

The innermost loop runs along rows in memory and carries no sum, so that it becomes vector instructions without any
change of order; four rows at a time, so that what is added to is loaded and stored less often.
"""

from __future__ import annotations

from typing import Any

from numba import njit

__all__ = ["add_outer", "add_product"]


@njit(cache=True, nogil=True)
def add_product(x: Any, matrix: Any, out: Any) -> None:
    """Add ``x (n,)`` times ``matrix (n, m)`` to ``out (m,)``."""
    n, m = matrix.shape
    whole = n - n % 4
    for i in range(0, whole, 4):
        a, b, c, d = x[i], x[i + 1], x[i + 2], x[i + 3]
        for j in range(m):
            out[j] += (a * matrix[i, j] + b * matrix[i + 1, j]) + (c * matrix[i + 2, j] + d * matrix[i + 3, j])
    for i in range(whole, n):
        a = x[i]
        for j in range(m):
            out[j] += a * matrix[i, j]


@njit(cache=True, nogil=True)
def add_outer(x: Any, y: Any, out: Any) -> None:
    """Add ``x (n,)`` times ``y (m,)`` to ``out (n, m)``."""
    for i in range(x.shape[0]):
        a = x[i]
        for j in range(y.shape[0]):
            out[i, j] += a * y[j]
