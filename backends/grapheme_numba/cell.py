"""One step of all cells: a roll-out of length one."""

from __future__ import annotations

import numpy as np

from grapheme.arrays import Bits, Floats
from grapheme.kernels.cell import Boundary
from grapheme.kernels.netlist import Netlist
from grapheme_numba import batch


def step(netlist: Netlist, coefficients: Floats, grids: Floats, boundary: Boundary, fire: Bits | None) -> Floats:
    """Return the grids after one soft step."""
    states: Floats = batch.rollout(netlist, coefficients, grids, 1, boundary, _one(fire))[1]
    return states


def step_grad(
    netlist: Netlist, coefficients: Floats, grids: Floats, grad: Floats, boundary: Boundary, fire: Bits | None
) -> tuple[Floats, Floats]:
    """Pull ``grad`` back through one step."""
    states = np.stack([grids, grids])  # the state after the step is not looked at
    return batch.rollout_grad(netlist, coefficients, states, grad[None], boundary, _one(fire))


def hard_step(netlist: Netlist, codes: np.ndarray, bits: Bits, boundary: Boundary, fire: Bits | None) -> Bits:
    """Return the grids of bits after one step."""
    return batch.hard_rollout(netlist, codes, bits, 1, boundary, _one(fire))


def _one(fire: Bits | None) -> Bits | None:
    return None if fire is None else fire[None]
