"""The measurements of what fusing brings, on models of which the outcome is known."""

from __future__ import annotations

import numpy as np
import pytest

from asv_bench.study_cortex import alone, as_large, score, spread, zeroed
from grapheme import get_backend
from grapheme.cortex import CollaborativeCortexTrainer, Cortex, Sample
from grapheme.cortex.preparation import prepare
from grapheme.cortex.shipped import MATH_BRAIN, TEXT_BRAIN
from tests.cortex.test_trainer import CONFIG, SAMPLES


@pytest.fixture(scope="module")
def learnt() -> Cortex:
    trainer = CollaborativeCortexTrainer(Cortex.build(SAMPLES, CONFIG, seed=1), get_backend("numba", 1))
    trainer.train(SAMPLES, 25)
    return trainer.model


def test_a_zeroed_brain_loses_its_own_domain_only(learnt: Cortex) -> None:
    engine = get_backend("numba", 1)
    whole = score(learnt, SAMPLES, engine)
    assert whole.right == {"code": 1, "math": 1, "text": 1}
    assert (whole.mean, whole.chosen) == (1, 1)
    without = score(zeroed(learnt, "text", engine), SAMPLES, engine)
    assert without.right["text"] < 0.5
    assert without.right["code"] == without.right["math"] == 1
    assert score(learnt, SAMPLES, engine) == whole  # the cortex itself is as it was


def test_a_brain_alone_gets_what_it_can_read() -> None:
    samples = [Sample("x = 1 +", "x", "code"), Sample("2*x", "x*2", "math"), Sample("phone", "fone", "text")]
    assert [sample.source for sample in alone(MATH_BRAIN, samples)] == ["2*x", "phone"]
    assert {sample.domain for sample in alone(TEXT_BRAIN, samples)} == {"text"}
    assert len(alone(TEXT_BRAIN, samples)) == 3


def test_one_brain_can_be_made_as_large_as_all(learnt: Cortex) -> None:
    config = as_large(TEXT_BRAIN, SAMPLES, 100_000)
    large = Cortex.build(alone(TEXT_BRAIN, SAMPLES), config, [TEXT_BRAIN])
    assert 100_000 <= large.size < 125_000


def test_views_that_are_all_the_same_have_collapsed(learnt: Cortex) -> None:
    engine = get_backend("numba", 1)
    prepared = [prepare(learnt, sample) for sample in SAMPLES]
    apart, differ = spread(learnt, prepared, engine)
    assert apart > 0.05
    assert differ > 0.05
    nothing = learnt
    for name in ("code", "math", "text"):
        nothing = zeroed(nothing, name, engine)
    np.testing.assert_array_equal(spread(nothing, prepared, engine), (0, 0))
