"""Examples taken from a joined batch are those that joining them anew gives."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from grapheme.datasets import degree_rules, peano
from grapheme.datasets.drawing import Sizes, draw_sets
from grapheme.transform.lessons import Aligned
from grapheme.transform.losses import EditLoss, StructuralLoss
from grapheme.transform.shelf import Shelf
from grapheme.transform.supervision import Example

LOSSES = pytest.mark.parametrize("loss", [EditLoss(), StructuralLoss()], ids=["edits", "structural"])


def examples(loss, draw=peano.draw, count=12):
    pairs = [(pair.source, pair.target) for pair in draw_sets(draw, Sizes(count, 1, 1), 0).train]
    aligned = Aligned.of(pairs, radius=2)
    return [loss.example(*pair, plan, aligned.space) for pair, plan in zip(aligned.pairs, aligned.plans, strict=True)]


def assert_same(actual, expected):
    for part in ("graphs", "edits", "targets"):
        one, other = (dataclasses.asdict(getattr(each, part)) for each in (actual, expected))
        for name, array in one.items():
            np.testing.assert_array_equal(array, other[name], err_msg=f"{part}.{name}")
            assert np.asarray(array).dtype == np.asarray(other[name]).dtype, f"{part}.{name}"


@LOSSES
@pytest.mark.parametrize("draw", [peano.draw, degree_rules.draw], ids=["directed", "undirected"])
def test_taking_is_joining_in_that_order(loss, draw):
    found = examples(loss, draw)
    whole = Example.join(found)
    for chosen in ([3, 0, 11, 7], [5], [2, 2, 2], list(range(12))):
        assert_same(whole.take(np.array(chosen)), Example.join([found[i] for i in chosen]))


@LOSSES
def test_a_shelf_gives_what_was_put_there_last(loss):
    """Before examples are joined, after that, and after one of them was replaced."""
    found = examples(loss)
    shelf, rng = Shelf(12), np.random.default_rng(0)
    for i, example in enumerate(found):
        shelf.put(i, example)
    joined = []
    for epoch in range(12):
        if epoch == 6:
            found[4] = found[9]
            shelf.put(4, found[9])
        chosen = rng.permutation(12)[:5]
        assert_same(shelf.batch(chosen), Example.join([found[i] for i in chosen]))
        joined.append(shelf.joined is not None)
    assert joined[-1]
