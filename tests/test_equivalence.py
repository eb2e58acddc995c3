"""numba against the oracle on circuits and grids that hypothesis chooses; the fixed cases are in test_conformance."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import grapheme
from grapheme.testing import assert_close, assert_same_bits, grid_problem
from grapheme.testing.problems import SHAPES

problems = st.builds(
    grid_problem,
    seed=st.integers(0, 2**32),
    shape=st.sampled_from(SHAPES)
    | st.tuples(st.integers(1, 5), st.integers(1, 3), st.integers(1, 9), st.integers(1, 9)),
    gates=st.integers(1, 60),
    steps=st.integers(1, 4),
    boundary=st.sampled_from(["periodic", "zero"]),
    asynchronous=st.booleans(),
    dtype=st.sampled_from(["float32", "float64"]),
)


def rollout(backend, p):
    return backend.batch.rollout(p.netlist, p.coefficients, p.grids, p.steps, p.boundary, p.fire)


def rollout_grad(backend, p, states):
    return backend.batch.rollout_grad(p.netlist, p.coefficients, states, p.grad_states, p.boundary, p.fire)


def hard_rollout(backend, p):
    return backend.batch.hard_rollout(p.netlist, p.codes, p.bits, p.steps, p.boundary, p.fire)


@given(p=problems)
def test_rollouts(p):
    oracle, numba = grapheme.get_backend("numpy"), grapheme.get_backend("numba")
    states = rollout(oracle, p)
    assert_close(rollout(numba, p), states, "states")
    grad, parts = rollout_grad(oracle, p, states)
    own_grad, own_parts = rollout_grad(numba, p, states)
    assert_close(own_grad, grad, "gradient of the start")
    assert_close(own_parts.sum(0), parts.sum(0), "gradient of the coefficients")


@given(p=problems)
def test_hard_rollouts(p):
    assert_same_bits(
        hard_rollout(grapheme.get_backend("numba"), p), hard_rollout(grapheme.get_backend("numpy"), p), "bits"
    )


@pytest.mark.parametrize("width", [1, 2, 3, 63, 64, 65, 127, 128, 131])
@pytest.mark.parametrize("boundary", ["periodic", "zero"])
def test_words_at_every_width(oracle, numba, width, boundary):
    p = grid_problem(width, (2, 2, 3, width), gates=25, boundary=boundary, asynchronous=True)
    assert_same_bits(hard_rollout(numba, p), hard_rollout(oracle, p), f"width {width}")


def test_kernels_take_read_only_arrays(numba, oracle):
    p = grid_problem(10, asynchronous=True)
    for array in (p.coefficients, p.codes, p.grids, p.bits, p.fire, p.grad_states):
        array.setflags(write=False)
    states = rollout(numba, p)
    states.setflags(write=False)
    assert_close(rollout_grad(numba, p, states)[0], rollout_grad(oracle, p, states)[0], "gradient")
    assert_same_bits(hard_rollout(numba, p), hard_rollout(oracle, p), "bits")
