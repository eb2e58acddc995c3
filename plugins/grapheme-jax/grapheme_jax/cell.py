"""One step of all cells."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp

from grapheme.kernels.cell import Boundary
from grapheme.kernels.gates import POLYNOMIAL
from grapheme.kernels.netlist import Netlist
from grapheme_jax.compiled import compiled
from grapheme_jax.levels import evaluate

Array = Any


@compiled(0, 3)
def step(netlist: Netlist, coefficients: Array, grids: Array, boundary: Boundary, fire: Array | None) -> Array:
    """Return the grids after one soft step."""
    return soft_step(netlist, coefficients, grids, boundary, fire)


@compiled(0, 4)
def step_grad(
    netlist: Netlist, coefficients: Array, grids: Array, grad: Array, boundary: Boundary, fire: Array | None
) -> tuple[Array, Array]:
    """Pull ``grad`` back through one step by automatic differentiation, each sample a part."""
    below, parts = pull_back(netlist, coefficients, grids, grad, boundary, fire)
    return below, parts


@compiled(0, 3)
def hard_step(netlist: Netlist, codes: Array, bits: Array, boundary: Boundary, fire: Array | None) -> Array:
    """Return the grids of bits after one step."""
    polynomials = jnp.asarray(POLYNOMIAL)[codes]
    new = evaluate(netlist, polynomials, _neighbourhoods(bits, boundary), _hard_gate).swapaxes(0, 1)
    return new if fire is None else jnp.where(fire[:, None], new, bits)


def soft_step(netlist: Netlist, coefficients: Array, grids: Array, boundary: Boundary, fire: Array | None) -> Array:
    """Return the grids after one soft step; not compiled, so that others can differentiate and loop over it."""
    new = evaluate(netlist, coefficients, _neighbourhoods(grids, boundary), _soft_gate).swapaxes(0, 1)
    return new if fire is None else jnp.where(fire[:, None], new, grids)


def pull_back(
    netlist: Netlist, coefficients: Array, grids: Array, grad: Array, boundary: Boundary, fire: Array | None
) -> tuple[Array, Array]:
    """Return the gradient of the grids and, a sample a part, of the coefficients."""

    def sample(x: Array, above: Array, mask: Array | None) -> tuple[Array, Array]:
        mask = None if mask is None else mask[None]
        _, pull = jax.vjp(lambda c, g: soft_step(netlist, c, g[None], boundary, mask)[0], coefficients, x)
        by_coefficients, by_grid = pull(above)
        return by_grid, by_coefficients

    below, parts = jax.vmap(sample, in_axes=(0, 0, None if fire is None else 0))(grids, grad, fire)
    return below, parts


def _soft_gate(a: Array, b: Array, rows: Array) -> Array:
    return rows[:, 0] + rows[:, 1] * a + rows[:, 2] * b + rows[:, 3] * a * b


def _hard_gate(a: Array, b: Array, rows: Array) -> Array:
    return rows[:, 0] ^ (rows[:, 1] & a) ^ (rows[:, 2] & b) ^ (rows[:, 3] & a & b)


def _neighbourhoods(grids: Array, boundary: Boundary) -> Array:
    """Return the circuit's inputs ``(9 * channel, batch, height, width)``."""
    height, width = grids.shape[2:]
    padded = jnp.pad(grids, ((0, 0), (0, 0), (1, 1), (1, 1)), mode="wrap" if boundary == "periodic" else "constant")
    shifted = [padded[:, :, y : y + height, x : x + width] for y in range(3) for x in range(3)]
    return jnp.concatenate([s.swapaxes(0, 1) for s in shifted])
