"""Attention, fusion and collaboration: gradients against finite differences, compiled kernels against the oracle."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from grapheme import get_backend
from grapheme.kernels.fusion_arrays import FusionArrays, FusionLayout

LAYOUT = FusionLayout(brains=3, embed=5, hidden=4)
FIRED = ((0, 1, 2), (1,), (0, 2), (), (0, 1), (2,), (1, 2), (0, 1, 2), (0,), (0, 1, 2))
"""More samples than one group, one of which no brain fired on."""


def rows() -> FusionArrays:
    rng = np.random.default_rng(2)
    brains = np.array([brain for fired in FIRED for brain in fired], np.int32)
    offsets = np.cumsum([0, *map(len, FIRED)])
    return FusionArrays(offsets, brains, rng.uniform(0.2, 1, len(brains)))


def numbers(dtype: str = "float64") -> dict[str, np.ndarray]:
    rng = np.random.default_rng(1)
    count = len(rows().brains)
    shapes = {
        "parameters": (LAYOUT.size,),
        "embeddings": (count, LAYOUT.embed),
        "grad_weights": (count,),
        "grad_contexts": (len(FIRED), LAYOUT.embed),
    }
    return {name: (rng.normal(size=shape) * 0.7).astype(dtype) for name, shape in shapes.items()}


def slopes(function: Callable[[np.ndarray], float], at: np.ndarray, small: float = 1e-6) -> np.ndarray:
    """Return the central differences of a function at every element."""
    found = np.zeros_like(at)
    for place in np.ndindex(at.shape):
        up, down = at.copy(), at.copy()
        up[place] += small
        down[place] -= small
        found[place] = (function(up) - function(down)) / (2 * small)
    return found


@pytest.mark.parametrize("backend", ["numpy", "numba"])
@pytest.mark.parametrize("of", ["parameters", "embeddings"])
def test_the_gradient_of_fusion_against_finite_differences(backend: str, of: str) -> None:
    engine, given = get_backend(backend), numbers()
    fuse, fuse_grad = engine.cortex.fuse, engine.cortex.fuse_grad

    def value(changed: np.ndarray) -> float:
        now = given | {of: changed}
        _, weights, _, _, contexts = fuse(LAYOUT, rows(), now["parameters"], now["embeddings"])
        return float((weights * given["grad_weights"]).sum() + (contexts * given["grad_contexts"]).sum())

    fused = fuse(LAYOUT, rows(), given["parameters"], given["embeddings"])
    grad, parts = fuse_grad(
        LAYOUT, rows(), given["parameters"], given["embeddings"], fused, given["grad_weights"], given["grad_contexts"]
    )
    found = grad if of == "embeddings" else parts.sum(axis=0)
    np.testing.assert_allclose(found, slopes(value, given[of]), rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize("backend", ["numpy", "numba"])
def test_the_gradient_of_collaboration_against_finite_differences(backend: str) -> None:
    collaborate = get_backend(backend).cortex.collaborate
    embeddings = numbers()["embeddings"]
    _, shortfalls, apart, together = collaborate(LAYOUT, rows(), embeddings)
    assert (shortfalls > 0).all()  # else there would be nothing to differentiate
    for result, found in ((0, apart), (1, together)):
        expected = slopes(lambda at, result=result: float(collaborate(LAYOUT, rows(), at)[result].sum()), embeddings)
        np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-8)


def test_weights_of_a_sample_sum_to_one_and_a_lone_brain_has_them_all() -> None:
    _, weights, mixtures, _, _ = get_backend("numpy").cortex.fuse(
        LAYOUT, rows(), numbers()["parameters"], numbers()["embeddings"]
    )
    sums = [weights[a:b].sum() for a, b in zip(rows().offsets, rows().offsets[1:], strict=False)]
    np.testing.assert_allclose(sums, [float(bool(fired)) for fired in FIRED])
    np.testing.assert_array_equal(mixtures[1], numbers()["embeddings"][3])


def test_the_distance_of_two_brains_by_hand() -> None:
    rows = FusionArrays(np.array([0, 2]), np.array([0, 1], np.int32), np.ones(2))
    embeddings = np.array([[1.0, 2.0, 3.0, 4.0, 5.0], [1.0, 0.0, 3.0, 4.0, 4.0]])
    distances, shortfalls, _, _ = get_backend("numpy").cortex.collaborate(LAYOUT, rows, embeddings)
    assert distances.tolist() == [(4 + 1) / 5]
    assert shortfalls.tolist() == [0, 0, 0]


def test_a_brain_that_says_the_same_of_everything_falls_short_by_the_whole_spread() -> None:
    rows = FusionArrays(np.array([0, 1, 2]), np.array([1, 1], np.int32), np.ones(2))
    found = get_backend("numpy").cortex.collaborate(LAYOUT, rows, np.ones((2, LAYOUT.embed)))
    np.testing.assert_allclose(found[1], [0, 1 - np.sqrt(1e-5), 0])


@pytest.mark.parametrize(("dtype", "rtol"), [("float64", 1e-12), ("float32", 1e-4)])
def test_compiled_fusion_equals_the_oracle(dtype: str, rtol: float) -> None:
    for found, expected in zip(_everything("numba", dtype), _everything("numpy", dtype), strict=True):
        assert found.dtype == expected.dtype == dtype
        np.testing.assert_allclose(found, expected, rtol=rtol, atol=1e-6 if dtype == "float32" else 1e-14)


def test_one_thread_and_two_give_the_same_bits() -> None:
    for one, two in zip(_everything("numba", "float32", 1), _everything("numba", "float32", 2), strict=True):
        assert one.tobytes() == two.tobytes()


def _everything(backend: str, dtype: str, threads: int = 1) -> list[np.ndarray]:
    engine, given = get_backend(backend, threads), numbers(dtype)
    fused = engine.cortex.fuse(LAYOUT, rows(), given["parameters"], given["embeddings"])
    grads = engine.cortex.fuse_grad(
        LAYOUT, rows(), given["parameters"], given["embeddings"], fused, given["grad_weights"], given["grad_contexts"]
    )
    return [*fused, *grads, *engine.cortex.collaborate(LAYOUT, rows(), given["embeddings"])]
