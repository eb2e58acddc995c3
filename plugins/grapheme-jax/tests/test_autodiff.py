"""JAX's own differentiation of a whole roll-out against the hand-written gradients."""

from __future__ import annotations

import jax
import numpy as np
import pytest

import grapheme
from grapheme.testing import grid_problem


@pytest.mark.parametrize("other", ["numpy", "numba"])
@pytest.mark.parametrize("boundary", ["periodic", "zero"])
@pytest.mark.parametrize("asynchronous", [False, True], ids=["sync", "async"])
def test_gradients_of_a_rollout(other, boundary, asynchronous):
    ours, theirs = grapheme.get_backend(other), grapheme.get_backend("jax")
    for seed in range(3):
        p = grid_problem(seed, (3, 2, 4, 5), gates=30, boundary=boundary, asynchronous=asynchronous)

        def weighted(coefficients, grids, p=p):
            states = theirs.batch.rollout(p.netlist, coefficients, grids, p.steps, p.boundary, p.fire)
            return (states[-len(p.grad_states) :] * p.grad_states).sum()

        by_coefficients, by_grids = jax.grad(weighted, argnums=(0, 1))(p.coefficients, p.grids)
        states = ours.batch.rollout(p.netlist, p.coefficients, p.grids, p.steps, p.boundary, p.fire)
        grad, parts = ours.batch.rollout_grad(p.netlist, p.coefficients, states, p.grad_states, p.boundary, p.fire)
        np.testing.assert_allclose(grad, by_grids, rtol=1e-10, atol=1e-10)
        np.testing.assert_allclose(parts.sum(0), by_coefficients, rtol=1e-10, atol=1e-10)
