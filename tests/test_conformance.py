"""The conformance suite on the shipped backends, and on fakes that test the suite itself."""

from __future__ import annotations

from dataclasses import astuple

import numpy as np
import pytest

import grapheme
from grapheme.backend import Backend
from grapheme.ca import DiffLogicCA, Trainer
from grapheme.kernels import GROUPS, kernel_names
from grapheme.testing import all_cases, assert_close, conform
from grapheme.testing.suite import ConformanceSuite

from .fakes import Mistakes, opaque, read_only, wrong

KERNELS = [f"{group}.{name}" for group, protocol in GROUPS.items() for name in kernel_names(protocol)]
KERNELS.remove("batch.granularity")  # it returns a plain number, which cannot be wrong in these ways


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
        (Mistakes.mutates, "changed its argument"),
        (Mistakes.unsteady, "other bits when called again"),
        (Mistakes.value, "differ"),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_a_wrong_backend_is_caught_by_kernel_and_case(kernel, mistake, message):
    if (kernel, mistake) == ("graph.edit_search", Mistakes.unsteady):
        pytest.skip("a search is many calls, the second of which is wrong at once")
    Mistakes.calls = 0
    outcomes = conform(wrong(kernel, mistake), only=kernel)
    caught = [outcome for outcome in outcomes if outcome.problem]
    assert {outcome.kernel for outcome in outcomes} == {kernel}
    assert len(caught) > len(outcomes) / 3  # where nothing is returned, as of a graph without cliques, nothing is wrong
    assert all(message in outcome.problem and outcome.case for outcome in caught)


def test_a_granularity_of_nothing_is_caught():
    class Zero:
        granularity = staticmethod(lambda height, width: 0)

    outcomes = conform(Backend("zero", batch=Zero), only="batch.granularity")
    assert [outcome.problem for outcome in outcomes] == ["a positive number: 1 values differ"] * 3


def test_every_kernel_of_the_contract_has_a_case():
    assert {case.kernel for case in all_cases()} == {*KERNELS, "batch.granularity"}


def test_kernels_that_a_backend_lacks_are_left_out():
    assert conform(Backend("empty")) == []


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
    assert astuple(seen[0][0]) == pytest.approx(astuple(seen[1][0]), rel=1e-12)
    for actual, expected in zip(seen[0][1:], seen[1][1:], strict=True):
        assert_close(actual, expected, "logits and grids")
