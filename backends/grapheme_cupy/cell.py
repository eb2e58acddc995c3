"""One step of all cells: a roll-out of length one."""

from __future__ import annotations

import cupy

from grapheme.arrays import Array
from grapheme.kernels.cell import Boundary
from grapheme.kernels.netlist import Netlist
from grapheme_cupy import batch


def step(netlist: Netlist, coefficients: Array, grids: Array, boundary: Boundary, fire: Array | None) -> Array:
    """Return the grids after one soft step."""
    return batch.rollout(netlist, coefficients, grids, 1, boundary, _one(fire))[1]


def step_grad(
    netlist: Netlist, coefficients: Array, grids: Array, grad: Array, boundary: Boundary, fire: Array | None
) -> tuple[Array, Array]:
    """Pull ``grad`` back through one step."""
    states = cupy.stack([grids, grids])  # the state after the step is not looked at
    return batch.rollout_grad(netlist, coefficients, states, grad[None], boundary, _one(fire))


def hard_step(netlist: Netlist, codes: Array, bits: Array, boundary: Boundary, fire: Array | None) -> Array:
    """Return the grids of bits after one step."""
    return batch.hard_rollout(netlist, codes, bits, 1, boundary, _one(fire))


def _one(fire: Array | None) -> Array | None:
    return None if fire is None else fire[None]
