"""What the core composes for a backend that lacks a kernel, against the oracle, which composes nothing."""

from __future__ import annotations

from operator import attrgetter

import pytest
from grapheme_numba.groups import NumbaBatch, NumbaCortex
from grapheme_numpy import batch, cell, cortex

import grapheme
from grapheme.arrays import ArrayEngine
from grapheme.backend import Backend
from grapheme.backend.compositions import ComposedBatch, ComposedCortex
from grapheme.kernels import GROUPS, BatchKernels, CortexKernels, kernel_names
from grapheme.testing import all_cases

from .fakes import ORACLE, on_device, strict, through_host, to_host

OF_STEPS = kernel_names(BatchKernels)
OF_ROLLOUTS = ("loss_and_grad", "hard_errors")
OF_NETWORKS = ("learn", "encode_brains", "encode_brains_grad", "decode_brains", "node_sums")
HOST, DEVICE = ArrayEngine(), ArrayEngine(strict, on_device, to_host)


def derived(composition, group, protocol, composed, wrap=lambda name, kernel: kernel):
    """A class with the oracle's kernels of a group, but for those that the composition supplies."""
    own = {name: wrap(name, getattr(group, name)) for name in kernel_names(protocol) if name not in composed}
    return type("Derived", (composition,), {name: staticmethod(kernel) for name, kernel in own.items()})


def rollouts(wrap=lambda name, kernel: kernel):
    return derived(ComposedBatch, batch, BatchKernels, OF_ROLLOUTS, wrap)


def networks(wrap=lambda name, kernel: kernel):
    return derived(ComposedCortex, cortex, CortexKernels, OF_NETWORKS, wrap)


STEPS = Backend("steps", cell=cell)
ROLLOUTS = Backend("roll-outs", batch=rollouts()(cell, HOST))
NETWORKS = Backend("networks", cortex=networks()(HOST))
OPAQUE = Backend(
    "opaque",
    batch=rollouts(through_host)(cell, DEVICE),
    cortex=networks(through_host)(DEVICE),
    xp=strict,
    asarray=on_device,
    to_numpy=to_host,
)
NUMBA = Backend("numba", batch=NumbaBatch(cell, HOST), cortex=NumbaCortex(HOST))

HELD = [
    *((STEPS, f"batch.{name}") for name in OF_STEPS),
    *((ROLLOUTS, f"batch.{name}") for name in OF_ROLLOUTS),
    *((OPAQUE, f"batch.{name}") for name in OF_ROLLOUTS),
    *((NETWORKS, f"cortex.{name}") for name in OF_NETWORKS),
    *((OPAQUE, f"cortex.{name}") for name in OF_NETWORKS),
    (NUMBA, "batch.loss_and_grad"),
    (NUMBA, "cortex.node_sums"),
]
COMPOSITIONS = {"batch": ComposedBatch, "cortex": ComposedCortex}


@pytest.mark.parametrize(("backend", "kernel"), HELD, ids=[f"{kernel} of {backend.name}" for backend, kernel in HELD])
def test_a_composed_kernel_is_the_oracles(backend, kernel):
    group, name = kernel.split(".")
    composed = getattr(COMPOSITIONS[group], name)
    assert attrgetter(kernel)(backend).__func__ is composed  # else something else would be compared
    outcomes = {case.name: case.check(backend).problem for case in all_cases() if case.kernel == kernel}
    assert outcomes
    assert not any(outcomes.values()), outcomes


def test_the_oracle_composes_nothing(oracle):
    for group, protocol in GROUPS.items():
        assert getattr(oracle, group) is ORACLE[group]
        assert all(callable(getattr(ORACLE[group], name)) for name in kernel_names(protocol))


def test_a_composition_is_resolved_once():
    """The kernels of a step are the same objects in the next one."""
    backend = grapheme.get_backend("numba", threads=1)
    assert backend.batch.loss_and_grad is backend.batch.loss_and_grad
