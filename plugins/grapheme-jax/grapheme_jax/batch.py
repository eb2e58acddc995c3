"""Roll-outs through time as scans over steps, which XLA compiles once whatever their length."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp

from grapheme.kernels.cell import Boundary
from grapheme.kernels.netlist import Netlist
from grapheme_jax import cell
from grapheme_jax.compiled import compiled

Array = Any


@compiled(0, 3, 4)
def rollout(
    netlist: Netlist, coefficients: Array, grids: Array, steps: int, boundary: Boundary, fire: Array | None
) -> Array:
    """Return the states of ``steps`` soft steps."""

    def advance(state: Array, mask: Array | None) -> tuple[Array, Array]:
        new = cell.soft_step(netlist, coefficients, state, boundary, mask)
        return new, new

    _, states = jax.lax.scan(advance, grids, fire, length=steps)
    return jnp.concatenate([grids[None], states])


@compiled(0, 4)
def rollout_grad(
    netlist: Netlist, coefficients: Array, states: Array, grad_states: Array, boundary: Boundary, fire: Array | None
) -> tuple[Array, Array]:
    """Pull the gradient of the last states back to the start, a sample a part."""
    direct = jnp.zeros_like(states).at[states.shape[0] - grad_states.shape[0] :].set(grad_states)
    parts = jnp.zeros((states.shape[1], *coefficients.shape), coefficients.dtype)

    def back(carry: tuple[Array, Array], at: tuple[Array, Array, Array | None]) -> tuple[tuple[Array, Array], None]:
        (grad, total), (state, own, mask) = carry, at
        below, by_sample = cell.pull_back(netlist, coefficients, state, grad, boundary, mask)
        return (below + own, total + by_sample), None

    (grad, total), _ = jax.lax.scan(back, (direct[-1], parts), (states[:-1], direct[:-1], fire), reverse=True)
    return grad, total


@compiled(0, 3, 4)
def hard_rollout(
    netlist: Netlist, codes: Array, bits: Array, steps: int, boundary: Boundary, fire: Array | None
) -> Array:
    """Return the grids of bits after ``steps`` hard steps."""

    def advance(state: Array, mask: Array | None) -> tuple[Array, None]:
        return cell.hard_step(netlist, codes, state, boundary, mask), None

    final, _ = jax.lax.scan(advance, bits, fire, length=steps)
    return final


def granularity(height: int, width: int) -> int:
    """Return 1: a part is a sample."""
    return 1
