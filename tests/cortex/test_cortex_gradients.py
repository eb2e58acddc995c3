"""The gradient of a whole cortex, part by part, against finite differences; and what gets none."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from grapheme import get_backend
from grapheme.cortex import CollaborativeCortexConfig, Cortex, Sample
from grapheme.cortex.objective import CortexLoss, loss_and_grad
from grapheme.cortex.preparation import Prepared, prepare

SAMPLES = (
    Sample("2 + 3*4", "2 + 12", "math"),
    Sample("y = x", "x = y", "math"),
    Sample("x = x + 3", "x += 3", "code"),
    Sample("y = x + 3", "y = x + 3", "code"),
    Sample("phone", "fone", "text"),
    Sample("x", "xx", "text"),
    Sample("3*4", "12", "math"),
    Sample("x = x", "x = x", "code"),
    Sample("ph", "f", "text"),
)
"""More than one group of samples, some of which several brains read."""

CONFIG = CollaborativeCortexConfig(embed_dim=6, hidden_dim=5, activation_threshold=0.1)


@cache
def cortex() -> Cortex:
    return Cortex.build(SAMPLES, CONFIG, dtype="float64", seed=3)


@cache
def prepared() -> tuple[Prepared, ...]:
    return tuple(prepare(cortex(), sample) for sample in SAMPLES)


def result(backend: str = "numpy", threads: int = 1) -> CortexLoss:
    return loss_and_grad(cortex(), prepared(), get_backend(backend, threads))


def test_several_brains_fire_on_one_input_and_each_on_some() -> None:
    fired = [sample.fired for sample in prepared()]
    assert max(map(len, fired)) == 3
    assert {brain for brains in fired for brain in brains} == {0, 1, 2}
    assert all(sample.own in sample.fired for sample in prepared())


@pytest.mark.parametrize(
    "part", ["code.encoder", "code.heads", "math.encoder", "math.heads", "text.encoder", "text.heads", "fusion"]
)
def test_the_gradient_of_every_part_against_finite_differences(part: str) -> None:
    engine, small = get_backend("numpy"), 1e-6
    before, grads = cortex().parameters, result().grads
    rng = np.random.default_rng(5)
    matter = np.flatnonzero(grads[part])
    places = rng.permutation(matter)[:8]
    assert len(places) == 8
    for place in places:
        found = []
        for shift in (small, -small):
            vector = before[part].copy()
            vector[place] += shift
            cortex().set_parameters(before | {part: vector}, engine)
            found.append(loss_and_grad(cortex(), prepared(), engine).loss.total)
        cortex().set_parameters(before, engine)
        assert grads[part][place] == pytest.approx((found[0] - found[1]) / (2 * small), rel=1e-6, abs=2e-8)


def test_a_brain_that_cannot_read_gets_no_gradient() -> None:
    alone = [sample for sample, read in zip(prepared(), SAMPLES, strict=True) if read.source == "phone"]
    assert alone[0].fired == (cortex().index("text"),)
    grads = loss_and_grad(cortex(), alone, get_backend("numpy")).grads
    assert all(not grads[name].any() for name in grads if name.startswith(("code.", "math.")))
    assert grads["text.encoder"].any()
    assert grads["text.heads"].any()


def test_a_brain_that_fires_gets_a_gradient_though_the_answer_is_another_brains() -> None:
    both = [sample for sample, read in zip(prepared(), SAMPLES, strict=True) if read.source == "y = x"]
    code = cortex().index("code")
    assert code in both[0].fired
    assert both[0].own == cortex().index("math")
    grads = loss_and_grad(cortex(), both, get_backend("numpy")).grads
    assert grads["code.encoder"].any()
    assert not grads["code.heads"].any()
    assert grads["fusion"].any()


def test_compiled_kernels_equal_the_oracle() -> None:
    one, other = result("numpy"), result("numba")
    assert other.loss.total == pytest.approx(one.loss.total, rel=1e-12)
    assert other.right.tolist() == one.right.tolist()
    for name, grad in one.grads.items():
        np.testing.assert_allclose(other.grads[name], grad, rtol=1e-9, atol=1e-12)


def test_one_thread_and_two_give_the_same_bits() -> None:
    one, two = result("numba", 1), result("numba", 2)
    assert one.loss == two.loss
    assert all(one.grads[name].tobytes() == two.grads[name].tobytes() for name in one.grads)


def test_the_total_is_the_weighted_sum_of_both_losses() -> None:
    loss = result().loss
    assert loss.total == pytest.approx(1.0 * loss.structural + 0.3 * loss.collaboration)
    assert loss.samples == len(SAMPLES)
