from __future__ import annotations

import numpy as np
import pytest

from grapheme.kernels import gates

# Written out by hand, apart from the project's tables: what each operation does to two bits.
TRUTH = [
    lambda a, b: False,
    lambda a, b: a and b,
    lambda a, b: a and not b,
    lambda a, b: a,
    lambda a, b: not a and b,
    lambda a, b: b,
    lambda a, b: a != b,
    lambda a, b: a or b,
    lambda a, b: not (a or b),
    lambda a, b: a == b,
    lambda a, b: not b,
    lambda a, b: a or not b,
    lambda a, b: not a,
    lambda a, b: not a or b,
    lambda a, b: not (a and b),
    lambda a, b: True,
]
BITS = [(a, b) for a in (False, True) for b in (False, True)]


@pytest.mark.parametrize("code", range(16))
def test_both_tables_are_the_truth_table(code):
    c0, c1, c2, c3 = gates.BILINEAR[code].tolist()
    k0, k1, k2, k3 = gates.POLYNOMIAL[code].tolist()
    for a, b in BITS:
        assert c0 + c1 * a + c2 * b + c3 * a * b == TRUTH[code](a, b)
        assert (k0 ^ (k1 & a) ^ (k2 & b) ^ (k3 & a & b)) == TRUTH[code](a, b)


@pytest.mark.parametrize("dtype", [np.bool_, np.uint8, np.uint32, np.uint64])
def test_operations_on_words_are_the_truth_table_in_every_bit(dtype):
    a, b = np.random.default_rng(4).integers(0, 256, (2, 24), np.uint8)
    a, b = (a % 2 == 1, b % 2 == 1) if dtype is np.bool_ else (a.view(dtype), b.view(dtype))
    wide = 1 if dtype is np.bool_ else 8 * np.dtype(dtype).itemsize
    together = gates.each_on_words(np.arange(16), np.stack([a] * 16), np.stack([b] * 16))
    for code in range(16):
        expected = [
            sum(bool(TRUTH[code](x >> k & 1, y >> k & 1)) << k for k in range(wide))
            for x, y in zip(a.tolist(), b.tolist(), strict=True)
        ]
        for result in (gates.on_words(code, a, b), together[code]):
            assert result.dtype == dtype
            assert result.tolist() == expected


def test_a_mixture_is_the_mean_of_its_operations():
    rng = np.random.default_rng(1)
    logits = rng.normal(size=(5, 16))
    weights = np.exp(logits) / np.exp(logits).sum(1, keepdims=True)
    mixed = gates.coefficients(gates.softmax(logits, np), np)
    for a, b in BITS:
        expected = weights @ np.array([float(f(a, b)) for f in TRUTH])
        np.testing.assert_allclose(mixed @ [1, a, b, a * b], expected, rtol=1e-12)


def test_the_pull_back_equals_finite_differences():
    rng = np.random.default_rng(2)
    logits, grad = rng.normal(size=(3, 16)), rng.normal(size=(3, 4))

    def value(table):
        return float((gates.coefficients(gates.softmax(table, np), np) * grad).sum())

    numeric, step = np.zeros_like(logits), 1e-6
    for index in np.ndindex(*logits.shape):
        nudge = np.zeros_like(logits)
        nudge[index] = step
        numeric[index] = (value(logits + nudge) - value(logits - nudge)) / (2 * step)
    np.testing.assert_allclose(gates.pull_back(gates.softmax(logits, np), grad, np), numeric, atol=1e-9)


def test_softmax_survives_large_logits():
    mixture = gates.softmax(np.array([[1000.0] + [0.0] * 15]), np)
    assert mixture[0, 0] == 1.0
    assert np.isfinite(mixture).all()


def test_the_first_of_equal_logits_wins():
    logits = np.zeros((2, 16))
    logits[1, [4, 9]] = 3.0
    assert gates.operation_codes(logits, np).tolist() == [0, 4]
