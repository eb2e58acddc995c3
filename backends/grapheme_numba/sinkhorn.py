"""Sinkhorn's algorithm in the log domain and its gradient, and the small products of matrices around it, compiled."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from grapheme_numba.products import add_product

__all__ = ["distances", "distances_grad", "product", "sinkhorn", "sinkhorn_grad", "turned"]


@njit(cache=True, nogil=True)
def product(left: Any, right: Any) -> Any:
    """Return the product of two matrices."""
    out = np.zeros((left.shape[0], right.shape[1]), left.dtype)
    for i in range(left.shape[0]):
        add_product(left[i], right, out[i])
    return out


@njit(cache=True, nogil=True)
def turned(matrix: Any) -> Any:
    """Return the transpose as an array of its own."""
    out = np.empty((matrix.shape[1], matrix.shape[0]), matrix.dtype)
    for i in range(matrix.shape[0]):
        for j in range(matrix.shape[1]):
            out[j, i] = matrix[i, j]
    return out


@njit(cache=True, nogil=True)
def distances(rows: Any, others: Any) -> Any:
    """Return the squared distance of every row from every other."""
    out = np.empty((rows.shape[0], others.shape[0]), rows.dtype)
    for i in range(rows.shape[0]):
        for j in range(others.shape[0]):
            total = rows.dtype.type(0)
            for c in range(rows.shape[1]):
                total += (rows[i, c] - others[j, c]) * (rows[i, c] - others[j, c])
            out[i, j] = total
    return out


@njit(cache=True, nogil=True)
def distances_grad(grad: Any, rows: Any, others: Any) -> Any:
    """Return the gradient of the rows, given that of their distances."""
    out = product(grad, others)
    two = rows.dtype.type(2)
    for i in range(rows.shape[0]):
        total = rows.dtype.type(0)
        for j in range(grad.shape[1]):
            total += grad[i, j]
        for c in range(rows.shape[1]):
            out[i, c] = two * (total * rows[i, c] - out[i, c])
    return out


@njit(cache=True, nogil=True)
def sinkhorn(scores: Any, iterations: int) -> Any:
    """Return the logarithms (1 + 2 * iterations, n, n): at first, and after each time rows or columns summed to 1."""
    steps = np.empty((1 + 2 * iterations, *scores.shape), scores.dtype)
    steps[0] = scores
    for number in range(1, steps.shape[0]):
        if number % 2:
            for i in range(scores.shape[0]):
                steps[number, i] = steps[number - 1, i] - _log_sum(steps[number - 1, i])
        else:
            columns = turned(steps[number - 1])
            for j in range(scores.shape[1]):
                total = _log_sum(columns[j])
                for i in range(scores.shape[0]):
                    steps[number, i, j] = steps[number - 1, i, j] - total
    return steps


@njit(cache=True, nogil=True)
def sinkhorn_grad(steps: Any, grad: Any) -> Any:
    """Pull the gradient of the last step back to the first."""
    grad = grad.copy()
    for number in range(steps.shape[0] - 1, 0, -1):
        totals = np.zeros(grad.shape[number % 2 - 1], grad.dtype)
        for i in range(grad.shape[0]):
            for j in range(grad.shape[1]):
                totals[i if number % 2 else j] += grad[i, j]
        for i in range(grad.shape[0]):
            for j in range(grad.shape[1]):
                grad[i, j] -= np.exp(steps[number, i, j]) * totals[i if number % 2 else j]
    return grad


@njit(cache=True, nogil=True)
def _log_sum(values: Any) -> Any:
    largest, total = values[0], values.dtype.type(0)
    for value in values:
        largest = max(largest, value)
    for value in values:
        total += np.exp(value - largest)
    return largest + np.log(total)
