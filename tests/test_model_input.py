"""Bad input to the library gets one clear sentence."""

from __future__ import annotations

import numpy as np
import pytest

from grapheme.ca import DiffLogicCA
from grapheme.errors import InvalidInputError


@pytest.fixture(scope="module")
def model():
    return DiffLogicCA.build(2, 2, [8, 4, 2, 1], [4, 3, 2], "zero", seed=0)


def grids(*shape):
    return np.zeros(shape)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((grids(1, 2, 3), grids(1, 2, 3), 1), "four axes"),
        ((grids(1, 3, 4, 4), grids(1, 3, 4, 4), 1), "model has 2 channels; the grids have 3"),
        ((grids(0, 2, 4, 4), grids(0, 2, 4, 4), 1), "batch is empty"),
        ((grids(1, 2, 0, 4), grids(1, 2, 0, 4), 1), "batch is empty"),
        ((grids(1, 2, 4, 4), grids(2, 2, 4, 4), 1), "target must have the shape"),
        ((grids(1, 2, 4, 4), grids(1, 2, 4, 5), 1), "target must have the shape"),
        ((grids(1, 2, 4, 4), grids(1, 2, 4, 4), 0), "1 or more steps; got 0"),
        ((grids(1, 2, 4, 4), grids(1, 2, 4, 4), 1.5), "1 or more steps; got 1.5"),
        ((grids(1, 2, 4, 4), grids(1, 2, 4, 4), 1, [2]), "channels 0 to 1; 2 is not one"),
        ((grids(1, 2, 4, 4), grids(1, 2, 4, 4), 1, [-1]), "channels 0 to 1; -1 is not one"),
        ((grids(1, 2, 4, 4), grids(1, 2, 4, 4), 1, []), "at least one loss channel"),
        ((grids(1, 2, 4, 4), grids(1, 2, 4, 4), 2, None, np.ones((1, 1, 4, 4), bool)), r"shape \(2, 1, 4, 4\)"),
        ((np.full((1, 2, 4, 4), np.nan), grids(1, 2, 4, 4), 1), "cells are NaN or infinite"),
        ((grids(1, 2, 4, 4), np.full((1, 2, 4, 4), np.inf), 1), "target are NaN or infinite"),
    ],
)
def test_a_bad_batch(model, arguments, message):
    with pytest.raises(InvalidInputError, match=message):
        model.loss_and_grad(*arguments, backend="numpy")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"channels": 0}, "1 or more channels"),
        ({"kernels": 0}, "1 or more kernels"),
        ({"boundary": "mirror"}, "'periodic' or 'zero'; got 'mirror'"),
        ({"perceive": [4, 2]}, "first perceive layer has 8 gates"),
        ({"perceive": []}, "at least one perceive layer"),
        ({"perceive": [8, 2]}, "2 gates cannot read 8 inputs; give it at least 4"),
        ({"update": [4, 3, 2, 1]}, "as many gates as there are channels, 2; it has 1"),
        ({"update": [2, 2]}, "cannot read 6 inputs"),
        ({"dtype": "int8"}, "float32 or float64"),
        ({"seed": -1}, "from 0 up; got -1"),
        ({"xors": 1.5}, "from 0 to 1; got 1.5"),
    ],
)
def test_a_bad_shape(change, message):
    settings = {
        "channels": 2,
        "kernels": 2,
        "perceive": [8, 4, 2, 1],
        "update": [4, 3, 2],
        "boundary": "zero",
        "seed": 0,
    }
    with pytest.raises(InvalidInputError, match=message):
        DiffLogicCA.build(**(settings | change))


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_logits_that_are_not_finite(bad):
    logits = np.zeros((1, 8, 16))
    logits[0, 3, 5] = bad
    with pytest.raises(InvalidInputError, match="NaN or infinite"):
        DiffLogicCA.from_layers(1, "zero", [(logits, range(8), range(8))], [(np.zeros((1, 16)), [0], [1])])


def perceive(*shape, a=range(8), b=range(8)):
    return (np.zeros(shape), a, b)


def update(a, b):
    return [(np.zeros((1, 16)), a, b)]


@pytest.mark.parametrize(
    ("below", "above", "message"),
    [
        ([perceive(1, 8, 15)], update([0], [1]), r"\(kernels, gates, 16\)"),
        ([perceive(1, 8, 16, a=range(7))], update([0], [1]), "needs 8 indices"),
        ([perceive(1, 8, 16)], update([99], [1]), "reads input 99, but has only 9"),
        ([perceive(1, 8, 16)], update([-1], [1]), "indices from 0 up"),
        ([], update([0], [1]), "at least one perceive layer"),
        ([perceive(1, 8, 16), perceive(2, 1, 16, a=[0], b=[1])], update([0], [1]), "same number of kernels"),
    ],
)
def test_bad_layers(below, above, message):
    with pytest.raises(InvalidInputError, match=message):
        DiffLogicCA.from_layers(1, "zero", below, above)


def test_a_soft_rollout_refuses_what_training_refuses(model):
    with pytest.raises(InvalidInputError, match="1 or more steps"):
        model.rollout(grids(1, 2, 4, 4), 0, backend="numpy")
    with pytest.raises(InvalidInputError, match="1 or more steps"):
        model.rollout(grids(1, 2, 4, 4), 0, hard=True, backend="numpy")


@pytest.mark.filterwarnings("ignore:overflow", "ignore:invalid value")
def test_an_exploding_loss_stops_with_advice():
    from grapheme.ca import Trainer
    from grapheme.errors import GraphemeError

    model = DiffLogicCA.build(1, 2, [8, 4, 2, 1], [2, 1], "zero", seed=0)
    with pytest.raises(GraphemeError, match="try a smaller learning rate"):
        Trainer(model, backend="numpy").step(np.full((1, 1, 3, 3), 1e38), grids(1, 1, 3, 3), 1)
