"""How close is close enough: one table of tolerances for every comparison."""

from __future__ import annotations

import numpy as np

TOLERANCES = {np.dtype(np.float32): 1e-4, np.dtype(np.float64): 1e-10}
"""The largest difference, relative to the largest value compared."""


def assert_close(actual: np.ndarray, expected: np.ndarray, what: str) -> None:
    """Fail unless floats agree to the tolerance of their dtype, and anything else exactly."""
    assert actual.shape == expected.shape, f"{what}: shape {actual.shape}, expected {expected.shape}"
    assert actual.dtype == expected.dtype, f"{what}: dtype {actual.dtype}, expected {expected.dtype}"
    if expected.dtype not in TOLERANCES:
        assert_same_bits(actual, expected, what)
        return
    scale = max(1.0, float(np.abs(expected).max(initial=0.0)))
    difference = float(np.abs(actual - expected).max(initial=0.0))
    assert difference <= TOLERANCES[expected.dtype] * scale, (
        f"{what}: largest difference {difference:.3g} at scale {scale:.3g}"
    )


def assert_same_bits(actual: np.ndarray, expected: np.ndarray, what: str) -> None:
    """Fail unless two arrays are equal to the last bit."""
    same = actual.dtype == expected.dtype and actual.shape == expected.shape and actual.tobytes() == expected.tobytes()
    assert same, f"{what}: not the same bits"
