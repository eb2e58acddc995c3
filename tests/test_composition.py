"""What the core composes for a backend that lacks a kernel, against the oracle, which composes nothing."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from grapheme_numpy import batch, cell, cortex

import grapheme
from grapheme.backend import Backend
from grapheme.testing import all_cases

from .fakes import opaque

OF_ROLLOUTS = ("loss_and_grad", "hard_errors")
OF_STEPS = ("rollout", "rollout_grad", "hard_rollout", "granularity", *OF_ROLLOUTS)
OF_NETWORKS = ("learn", "encode_brains", "encode_brains_grad", "decode_brains", "node_sums")


def without(group, names):
    """The oracle's kernels of a group but for some."""
    return SimpleNamespace(**{name: getattr(group, name) for name in group.__all__ if name not in names})


STEPS = Backend("steps", {"cell": cell})
ROLLOUTS = Backend("roll-outs", {"batch": without(batch, OF_ROLLOUTS)})
NETWORKS = Backend("networks", {"cortex": without(cortex, OF_NETWORKS)})
NUMBA = grapheme.get_backend("numba", 2)

HELD = [
    *((STEPS, f"batch.{name}") for name in OF_STEPS),
    *((ROLLOUTS, f"batch.{name}") for name in OF_ROLLOUTS),
    *((opaque(), f"batch.{name}") for name in OF_ROLLOUTS),
    *((NETWORKS, f"cortex.{name}") for name in OF_NETWORKS),
    *((opaque(), f"cortex.{name}") for name in OF_NETWORKS),
    (NUMBA, "batch.loss_and_grad"),
    (NUMBA, "cortex.node_sums"),
]


@pytest.mark.parametrize(("backend", "kernel"), HELD, ids=[f"{kernel} of {backend.name}" for backend, kernel in HELD])
def test_a_composed_kernel_is_the_oracles(backend, kernel):
    assert not backend.provides(kernel)  # else it would be compared in place of the composition
    outcomes = {case.name: case.check(backend).problem for case in all_cases() if case.kernel == kernel}
    assert outcomes
    assert not any(outcomes.values()), outcomes


def test_the_oracle_composes_nothing(oracle):
    assert all(oracle.provides(case.kernel) for case in all_cases())
