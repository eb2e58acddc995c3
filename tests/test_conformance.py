"""The conformance suite on the shipped backends, and on fakes that test the suite itself."""

from __future__ import annotations

import numpy as np
import pytest

import grapheme
from grapheme.backend import Backend
from grapheme.ca import DiffLogicCA, Trainer
from grapheme.testing import conform
from grapheme.testing.suite import ConformanceSuite

from .fakes import Mistakes, opaque, read_only, wrong

KERNELS = [
    "cell.step", "cell.step_grad", "cell.hard_step", "batch.rollout", "batch.rollout_grad", "batch.hard_rollout",
    "cortex.encode", "cortex.encode_grad", "cortex.edit_scores", "cortex.edit_scores_grad", "cortex.edit_loss",
    "cortex.structural_loss", "cortex.fuse", "cortex.fuse_grad", "cortex.collaborate",
]  # fmt: skip


class TestNumba(ConformanceSuite):
    backend = "numba"


class TestOpaque(ConformanceSuite):
    backend = opaque()


class TestReadOnly(ConformanceSuite):
    backend = read_only()


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize(
    ("mistake", "message"),
    [
        (Mistakes.shape, "shape"),
        (Mistakes.dtype, "dtype float16"),
        (Mistakes.raises, "raised ZeroDivisionError: on purpose"),
        (Mistakes.mutates, "changed its argument 2"),
        (Mistakes.unsteady, "other bits when called again"),
        (Mistakes.value, "differ"),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_a_wrong_backend_is_caught_by_kernel_and_case(kernel, mistake, message):
    Mistakes.calls = 0
    outcomes = conform(wrong(kernel, mistake))
    caught = [outcome for outcome in outcomes if outcome.problem]
    assert {outcome.kernel for outcome in outcomes} == {kernel}
    assert len(caught) > len(outcomes) / 2  # a change of nothing, as zeroing a zero, is no mistake
    assert all(message in outcome.problem and outcome.case for outcome in caught)


def test_a_granularity_of_nothing_is_caught():
    class Zero:
        granularity = staticmethod(lambda height, width: 0)

    outcomes = conform(Backend("zero", {"batch": Zero}))
    assert [outcome.problem for outcome in outcomes] == ["a positive number: 1 values differ"] * 3


def test_kernels_that_a_backend_lacks_are_left_out():
    assert conform(Backend("empty", {})) == []


def test_training_needs_nothing_but_the_array_api():
    """Five steps on arrays that refuse numpy give the oracle's numbers, so parameters never leave their device."""
    rng = np.random.default_rng(0)
    seen = []
    for backend in (opaque(), grapheme.get_backend("numpy")):
        model = DiffLogicCA.build(2, 2, [8, 4, 2, 1], [4, 3, 2], "zero", seed=1, dtype="float64")
        trainer = Trainer(model, loss_channels=[0], backend=backend)
        rng = np.random.default_rng(0)
        for _ in range(5):
            x, y = rng.integers(0, 2, (2, 3, 2, 4, 5))
            metrics = trainer.step(x, y, 2, rng.random((2, 3, 4, 5)) < 0.6)
        seen.append(
            (metrics, model.to_host(), model.rollout(x, 3, backend=backend), model.rollout(x, 3, True, backend=backend))
        )
    assert seen[0][0] == seen[1][0]
    for actual, expected in zip(seen[0][1:], seen[1][1:], strict=True):
        np.testing.assert_array_equal(actual, expected)
