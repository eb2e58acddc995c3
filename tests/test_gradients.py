"""Gradients of one sample and of one cell: their sums, finite differences, a case by hand, and bad input."""

from __future__ import annotations

import dataclasses
import doctest
from itertools import product

import numpy as np
import pytest

from grapheme.ca import DiffLogicCA, cell_gradients, gradients, sample_gradients
from grapheme.errors import InvalidInputError
from grapheme.kernels import gates
from grapheme.testing.compare import assert_close

BATCH, CHANNELS, HEIGHT, WIDTH = 3, 2, 3, 4
NUDGE = 1e-5

boundaries = pytest.mark.parametrize("boundary", ["periodic", "zero"])
firing = pytest.mark.parametrize("asynchronous", [False, True], ids=["sync", "async"])
backends = pytest.mark.parametrize("backend", ["numpy", "numba"])


def automaton(boundary="zero", dtype="float64"):
    """An automaton whose gates are random mixtures, sure enough of themselves that no gradient vanishes."""
    model = DiffLogicCA.build(CHANNELS, 2, [8, 4, 2, 1], [4, 3, 2], boundary, seed=3, dtype=dtype)
    return with_logits(model, np.random.default_rng(1).normal(0, 4, model.to_host().shape).astype(dtype))


def with_logits(model, logits):
    return DiffLogicCA.from_tensors(model.tensors() | {"logits": logits})


def batch(steps, asynchronous=False):
    """Return start, target and firing mask."""
    rng = np.random.default_rng(2)
    x, y = rng.random((2, BATCH, CHANNELS, HEIGHT, WIDTH))
    return x, y, rng.random((steps, BATCH, HEIGHT, WIDTH)) < 0.6 if asynchronous else None


def squared_error(model, x, y, steps, channels, fire, place):
    """The loss as anybody would write it; ``place`` is (sample, rows, columns)."""
    sample, rows, columns = place
    wrong = (model.rollout(x, steps, fire=fire, backend="numpy") - y)[sample, channels]
    return (wrong[:, rows, columns] ** 2).sum()


def summed(records, *, but=()):
    """Add up records field by field: arrays, lists of arrays and numbers."""
    names = [field.name for field in dataclasses.fields(records[0]) if field.name not in but]
    columns = {name: [getattr(record, name) for record in records] for name in names}
    return {
        name: [sum(layers) for layers in zip(*values, strict=True)] if isinstance(values[0], list) else sum(values)
        for name, values in columns.items()
    }


def assert_same_layers(actual, expected):
    for part in ("perceive", "update"):
        for index, (found, wanted) in enumerate(zip(actual[part], expected[part], strict=True)):
            assert_close_to_scale(found, wanted, f"{part} {index}")


def assert_close_to_scale(actual, expected, what):
    """Compare small gradients as strictly as large ones: tolerances are relative to 1 at least."""
    scale = np.abs(expected).max()
    assert scale > 0, what
    assert_close(actual / scale, expected / scale, what)


@backends
@boundaries
@firing
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_samples_add_up_to_the_batch(backend, boundary, asynchronous, dtype):
    model, (x, y, fire) = automaton(boundary, dtype), batch(3, asynchronous)
    whole = model.loss_and_grad(x, y, 3, [1], fire, backend)
    found = [sample_gradients(model, x, y, 3, [1], fire, sample, backend) for sample in range(BATCH)]
    assert_same_layers(summed(found), whole.grads)
    assert_close(np.array([each.soft_loss for each in found], dtype), whole.loss_per_sample, "soft loss")
    assert {each.grid.dtype for each in found} == {np.dtype(dtype)}


@backends
@boundaries
@firing
@pytest.mark.parametrize("steps", [1, 3])
def test_cells_add_up_to_the_sample(backend, boundary, asynchronous, steps):
    model, (x, y, fire) = automaton(boundary), batch(steps, asynchronous)
    whole = sample_gradients(model, x, y, steps, None, fire, 2, backend)
    cells = [
        cell_gradients(model, x, y, steps, None, fire, 2, row, column, backend)
        for row, column in product(range(HEIGHT), range(WIDTH))
    ]
    total = summed(cells, but=["neighbourhood"])
    assert_same_layers(total, {"perceive": whole.perceive, "update": whole.update})
    assert_close_to_scale(total["grid"], whole.grid, "grid")
    assert total["soft_loss"] == pytest.approx(whole.soft_loss, rel=1e-12)
    assert total["hard_loss"] == pytest.approx(whole.hard_loss, rel=1e-12)


@boundaries
@firing
@pytest.mark.parametrize("steps", [1, 3])
@pytest.mark.parametrize("cell", [None, (0, 3), (1, 1)], ids=["sample", "corner", "inside"])
def test_gradients_equal_finite_differences(boundary, asynchronous, steps, cell):
    model, (x, y, fire) = automaton(boundary), batch(steps, asynchronous)
    rng, channels = np.random.default_rng(5), [1, 0] if cell else [1]
    if cell is None:
        place = (1, slice(None), slice(None))
        found = sample_gradients(model, x, y, steps, channels, fire, 1, "numpy")
    else:
        place = (1, slice(cell[0], cell[0] + 1), slice(cell[1], cell[1] + 1))
        found = cell_gradients(model, x, y, steps, channels, fire, 1, *cell, "numpy")

    def slope(loss, at, index):
        nudge = np.zeros_like(at)
        nudge[index] = NUDGE
        return (loss(at + nudge) - loss(at - nudge)) / (2 * NUDGE)

    def by_logits(logits):
        return squared_error(with_logits(model, logits), x, y, steps, channels, fire, place)

    def by_grids(grids):
        return squared_error(model, grids, y, steps, channels, fire, place)

    # where each parameter row went, to find its gradient in a layer
    logits = model.to_host()
    entries = model.by_layer(np.arange(logits.size).reshape(logits.shape))
    for grads, numbers in ((found.perceive, entries["perceive"]), (found.update, entries["update"])):
        for grad, number in zip(grads, numbers, strict=True):
            for entry in rng.integers(0, grad.size, 3):
                index = np.unravel_index(number.flat[entry], logits.shape)
                slack = 1e-5 * np.abs(grad).max()
                assert grad.flat[entry] == pytest.approx(slope(by_logits, logits, index), rel=1e-5, abs=slack)
    for entry in rng.integers(0, found.grid.size, 8):
        index = np.unravel_index(entry, found.grid.shape)
        slack = 1e-5 * np.abs(found.grid).max()
        assert found.grid[index] == pytest.approx(slope(by_grids, x, (1, *index)), rel=1e-5, abs=slack)
    assert found.soft_loss == pytest.approx(by_grids(x), rel=1e-12)


@pytest.mark.parametrize("centre", [False, True])
def test_the_gradient_of_even_mixtures_by_hand(centre):
    """Gates that mix all operations evenly are 1/2 whatever they read: half of the sixteen say 1 anywhere.

    So the loss is 1/4 where a 1 is wanted, and the last gate, which reads the cell and a kernel's 1/2, has by its
    logit k the gradient 2 * (1/2 - 1) * 1/16 * (what operation k makes of the two - 1/2). Nothing comes through a gate
    that does not listen to its inputs.
    """
    perceive = [(np.zeros((1, 8, 16)), [0, 1, 2, 3, 5, 6, 7, 8], [4] * 8), (np.zeros((1, 1, 16)), [0], [1])]
    model = DiffLogicCA.from_layers(1, "zero", perceive, [(np.zeros((1, 16)), [0], [1])])
    x = np.zeros((1, 1, 2, 2))
    x[0, 0, 1, 0] = centre
    found = cell_gradients(model, x, np.ones_like(x), 1, row=1, column=0, backend="numpy")
    output = [(gates.value(code, centre, False) + gates.value(code, centre, True)) / 2 for code in range(16)]
    np.testing.assert_allclose(found.update[0], [-(np.array(output) - 0.5) / 16], atol=1e-15)
    assert found.soft_loss == 0.25
    for grad in (*found.perceive, found.grid, found.neighbourhood):
        np.testing.assert_allclose(grad, 0, atol=1e-15)


@backends
@boundaries
@firing
def test_the_hard_loss_is_that_of_the_hard_circuit(backend, boundary, asynchronous):
    model, (x, y, fire) = automaton(boundary), batch(2, asynchronous)
    wrong = (model.harden().run(x, 2, fire, "numpy") - y)[2, 1]
    assert sample_gradients(model, x, y, 2, [1], fire, 2, backend).hard_loss == pytest.approx((wrong**2).sum())
    for row, column in product(range(HEIGHT), range(WIDTH)):
        found = cell_gradients(model, x, y, 2, [1], fire, 2, row, column, backend)
        assert found.hard_loss == pytest.approx(wrong[row, column] ** 2)


def test_the_hard_loss_counts_the_bits_that_are_wrong():
    model, (x, y, _) = automaton(), batch(2)
    wanted = y > 0.5
    count = np.count_nonzero(model.harden().run(x, 2, backend="numpy")[0] != wanted[0])
    assert sample_gradients(model, x, wanted, 2, backend="numpy").hard_loss == count


def test_a_cell_that_does_not_fire_listens_to_nobody_but_itself():
    model, (x, y, _) = automaton(), batch(1)
    fire = np.ones((1, BATCH, HEIGHT, WIDTH), bool)
    fire[0, 0, 1, 2] = False
    found = cell_gradients(model, x, y, 1, fire=fire, row=1, column=2, backend="numpy")
    assert not any(layer.any() for layer in (*found.perceive, *found.update))
    expected = np.zeros((CHANNELS, 3, 3))
    expected[:, 1, 1] = 2 * (x - y)[0, :, 1, 2]
    assert_close(found.neighbourhood, expected, "neighbourhood")


@boundaries
def test_the_neighbourhood_is_the_grid_around_the_cell(boundary):
    model, (x, y, _) = automaton(boundary), batch(1)
    found = cell_gradients(model, x, y, 1, row=0, column=3, backend="numpy")
    for dy, dx in product((-1, 0, 1), repeat=2):
        row, column = dy, 3 + dx
        outside = not (0 <= row < HEIGHT and 0 <= column < WIDTH)
        expected = np.zeros(CHANNELS) if outside and boundary == "zero" else found.grid[:, row % HEIGHT, column % WIDTH]
        np.testing.assert_array_equal(found.neighbourhood[:, 1 + dy, 1 + dx], expected)
    seen = np.count_nonzero(found.grid.any(axis=0))
    assert seen == (4 if boundary == "zero" else 9)


def test_the_model_and_the_arrays_stay_as_they_were():
    model, (x, y, fire) = automaton(), batch(2, True)
    before = [array.copy() for array in (model.to_host(), x, y, fire)]
    sample_gradients(model, x, y, 2, [0], fire, 1, "numba")
    cell_gradients(model, x, y, 2, [0], fire, 1, 1, 1, "numba")
    for array, copy in zip((model.to_host(), x, y, fire), before, strict=True):
        np.testing.assert_array_equal(array, copy)


@pytest.mark.parametrize("function", [sample_gradients, cell_gradients])
@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"sample": 3}, "There are the samples 0 to 2; 3 is not one of them."),
        ({"sample": -1}, "There are the samples 0 to 2; -1 is not one of them."),
        ({"sample": 0.5}, "There are the samples 0 to 2; 0.5 is not one of them."),
        ({"steps": 0}, "Give 1 or more steps; got 0."),
        ({"loss_channels": [2]}, "The model has channels 0 to 1; 2 is not one of them."),
        ({"x": np.zeros((1, 5, 3, 4))}, "The model has 2 channels; the grids have 5."),
        ({"y": np.zeros((1, 2, 3, 4))}, "The target must have the shape of the grids"),
        ({"fire": np.ones((1, 3, 3, 4), bool)}, "The fire mask must have the shape"),
    ],
)
def test_bad_input_gets_a_sentence(function, change, message):
    x, y, _ = batch(2)
    with pytest.raises(InvalidInputError) as caught:
        function(automaton(), **({"x": x, "y": y, "steps": 2, "backend": "numpy"} | change))
    assert str(caught.value).startswith(message)


@pytest.mark.parametrize(
    ("place", "message"),
    [
        ({"row": 3}, "There are the rows 0 to 2; 3 is not one of them."),
        ({"row": -1}, "There are the rows 0 to 2; -1 is not one of them."),
        ({"column": 4}, "There are the columns 0 to 3; 4 is not one of them."),
        ({"column": "a"}, "There are the columns 0 to 3; 'a' is not one of them."),
    ],
)
def test_a_cell_that_is_not_there(place, message):
    x, y, _ = batch(2)
    with pytest.raises(InvalidInputError) as caught:
        cell_gradients(automaton(), x, y, 2, **place, backend="numpy")
    assert str(caught.value) == message


def test_the_examples_are_right():
    outcome = doctest.testmod(gradients)
    assert outcome.failed == 0
    assert outcome.attempted >= 15
