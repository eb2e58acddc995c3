from __future__ import annotations

import numpy as np
import pytest

import grapheme
from grapheme.ca import DiffLogicCA, Trainer
from grapheme.errors import InvalidInputError
from grapheme.optim.adamw import AdamW


def random_model(channels, boundary, dtype, seed):
    model = DiffLogicCA.build(
        channels,
        3,
        [8, 4, 2],
        [10 * channels, 5 * channels, 3 * channels, 2 * channels, channels],
        boundary,
        seed,
        dtype,
    )
    logits = np.random.default_rng(seed).normal(size=model.to_host().shape).astype(dtype)
    model.set_parameters(logits, grapheme.get_backend("numpy"))
    return model


def five_steps(backend, channels, shape, boundary, asynchronous, dtype):
    rng = np.random.default_rng(99)
    trainer = Trainer(random_model(channels, boundary, dtype, 3), loss_channels=[0], backend=backend)
    losses = []
    for _ in range(5):
        x, y = rng.integers(0, 2, (2, shape[0], channels, *shape[1:])).astype(dtype)
        fire = rng.random((3, *shape)) < 0.6 if asynchronous else None
        result = trainer.step(x, y, 3, fire)
        losses.append((result.soft_loss, result.hard_loss))
    return np.array(losses), trainer.model.to_host()


@pytest.mark.parametrize("boundary", ["periodic", "zero"])
@pytest.mark.parametrize("asynchronous", [False, True], ids=["sync", "async"])
@pytest.mark.parametrize(
    ("channels", "shape"), [(1, (1, 1, 1)), (2, (3, 1, 7)), (1, (5, 3, 3)), (2, (2, 5, 37)), (3, (4, 4, 4))]
)
def test_five_optimiser_steps_equal_the_oracle(oracle, numba, channels, shape, boundary, asynchronous):
    losses, logits = five_steps(oracle, channels, shape, boundary, asynchronous, "float64")
    own_losses, own_logits = five_steps(numba, channels, shape, boundary, asynchronous, "float64")
    np.testing.assert_allclose(own_losses, losses, rtol=1e-10, atol=1e-10)
    np.testing.assert_allclose(own_logits, logits, rtol=0, atol=1e-8)


@pytest.mark.parametrize("asynchronous", [False, True], ids=["sync", "async"])
def test_five_steps_in_single_precision(oracle, numba, asynchronous):
    losses, _ = five_steps(oracle, 2, (3, 5, 6), "zero", asynchronous, "float32")
    own_losses, _ = five_steps(numba, 2, (3, 5, 6), "zero", asynchronous, "float32")
    np.testing.assert_allclose(own_losses, losses, rtol=1e-4)


def test_adamw_by_hand():
    """Two steps on one number, computed from the formulas of the paper with plain floats."""
    backend = grapheme.get_backend("numpy")
    optimiser = AdamW(lr=0.1, betas=(0.9, 0.99), weight_decay=0.01, clip=100.0)
    value, m, v = 2.0, 0.0, 0.0
    parameters = {"w": np.array([value])}
    for step, gradient in enumerate([250.0, -3.0], start=1):
        clipped = max(-100.0, min(100.0, gradient))
        m, v = 0.9 * m + 0.1 * clipped, 0.99 * v + 0.01 * clipped**2
        value -= 0.1 * ((m / (1 - 0.9**step)) / ((v / (1 - 0.99**step)) ** 0.5 + 1e-8) + 0.01 * value)
        parameters = optimiser.update(parameters, {"w": np.array([gradient])}, backend)
        assert parameters["w"][0] == pytest.approx(value, rel=1e-12)


def test_clipping_is_by_element_not_by_norm():
    backend = grapheme.get_backend("numpy")
    optimiser = AdamW(lr=1.0, betas=(0.0, 0.0), clip=1.0, eps=1.0)
    moved = optimiser.update({"w": np.zeros(2)}, {"w": np.array([50.0, 0.5])}, backend)["w"]
    np.testing.assert_allclose(moved, [-1.0 / 2.0, -0.5 / 1.5])  # the small one is untouched by the large one


def test_losses_are_those_before_the_update():
    model = random_model(2, "zero", "float64", 8)
    rng = np.random.default_rng(0)
    x, y = rng.integers(0, 2, (2, 2, 2, 4, 4)).astype(float)
    soft = model.loss_and_grad(x, y, 2, [0], backend="numpy").loss
    hard = float(((model.rollout(x, 2, hard=True, backend="numpy") - y)[:, 0] ** 2).sum())
    result = Trainer(model, loss_channels=[0], backend="numpy").step(x, y, 2)
    assert (result.soft_loss, result.hard_loss) == (soft, hard)
    assert result.accuracy == 1 - hard / 32
    assert result.soft_mean == pytest.approx(soft / 32)
    assert model.loss_and_grad(x, y, 2, [0], backend="numpy").loss != soft


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"lr": 0}, "lr > 0"),
        ({"betas": (0.9, 1.0)}, "betas"),
        ({"clip": -1.0}, "clip > 0"),
        ({"loss_channels": [7]}, "channels 0 to 1"),
        ({"loss_channels": []}, "at least one"),
    ],
)
def test_bad_settings_are_refused(options, message):
    with pytest.raises(InvalidInputError, match=message):
        Trainer(random_model(2, "zero", "float64", 8), backend="numpy", **options)
