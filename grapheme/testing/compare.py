"""How close is close enough: one table of tolerances for every comparison."""

from __future__ import annotations

import numpy as np

TOLERANCES = {np.dtype(np.float32): 1e-4, np.dtype(np.float64): 1e-10}
"""The largest difference, relative to the largest value compared; what is not a float is compared exactly."""


def discrepancy(actual: np.ndarray, expected: np.ndarray) -> str | None:
    """Return what sets two arrays apart, or None if they are as close as their dtype asks."""
    if actual.dtype != expected.dtype:
        return f"dtype {actual.dtype}, expected {expected.dtype}"
    if actual.shape != expected.shape:
        return f"shape {actual.shape}, expected {expected.shape}"
    apart = difference(actual, expected)
    if expected.dtype not in TOLERANCES:
        return f"{apart:.0f} values differ" if apart else None
    tolerance = TOLERANCES[expected.dtype]
    return None if apart <= tolerance else f"largest difference {apart:.3g}, allowed {tolerance:g}"


def difference(actual: np.ndarray, expected: np.ndarray) -> float:
    """Return the largest difference relative to the largest value, or how many values differ if they are not floats."""
    if actual.shape != expected.shape:
        return float("inf")
    if expected.dtype not in TOLERANCES:
        return float(np.count_nonzero(actual != expected))
    scale = max(1.0, float(np.abs(expected).max(initial=0.0)))
    apart = float(np.abs(actual.astype(np.float64) - expected).max(initial=0.0))
    return apart / scale if np.isfinite(apart) else float("inf")


def same_bits(actual: np.ndarray, expected: np.ndarray) -> bool:
    """Say whether two arrays are equal to the last bit."""
    return actual.dtype == expected.dtype and actual.shape == expected.shape and actual.tobytes() == expected.tobytes()


def assert_close(actual: np.ndarray, expected: np.ndarray, what: str) -> None:
    """Fail unless two arrays are as close as their dtype asks."""
    found = discrepancy(actual, expected)
    assert found is None, f"{what}: {found}"


def assert_same_bits(actual: np.ndarray, expected: np.ndarray, what: str) -> None:
    """Fail unless two arrays are equal to the last bit."""
    assert same_bits(actual, expected), f"{what}: not the same bits"
