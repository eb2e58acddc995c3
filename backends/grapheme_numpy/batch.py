"""Roll-outs: steps one after another, and their gradients backwards in time; loss and trial have their own files."""

from __future__ import annotations

import numpy as np

from grapheme.arrays import Bits, Floats
from grapheme.kernels.cell import Boundary
from grapheme.kernels.netlist import Netlist
from grapheme_numpy.cell import hard_step, step, step_grad
from grapheme_numpy.trial import hard_errors
from grapheme_numpy.unrolled import loss_and_grad

__all__ = ["granularity", "hard_errors", "hard_rollout", "loss_and_grad", "rollout", "rollout_grad"]


def rollout(
    netlist: Netlist, coefficients: Floats, grids: Floats, steps: int, boundary: Boundary, fire: Bits | None
) -> Floats:
    """Return the states of ``steps`` soft steps."""
    states = [grids]
    for t in range(steps):
        states.append(step(netlist, coefficients, states[t], boundary, None if fire is None else fire[t]))
    return np.stack(states)


def rollout_grad(
    netlist: Netlist,
    coefficients: Floats,
    states: Floats,
    grad_states: Floats,
    boundary: Boundary,
    fire: Bits | None,
) -> tuple[Floats, Floats]:
    """Pull the gradient of the last states back to the start; a part is a sample."""
    steps, given = len(states) - 1, len(grad_states)
    direct = np.zeros_like(states)
    direct[steps + 1 - given :] = grad_states
    grad = direct[steps]
    total = np.zeros((states.shape[1], *coefficients.shape), coefficients.dtype)
    for t in reversed(range(steps)):
        grad, parts = step_grad(netlist, coefficients, states[t], grad, boundary, None if fire is None else fire[t])
        grad = grad + direct[t]
        total += parts
    return grad, total


def hard_rollout(
    netlist: Netlist, codes: np.ndarray, bits: Bits, steps: int, boundary: Boundary, fire: Bits | None
) -> Bits:
    """Return the grids of bits after ``steps`` hard steps."""
    for t in range(steps):
        bits = hard_step(netlist, codes, bits, boundary, None if fire is None else fire[t])
    return bits


def granularity(height: int, width: int) -> int:
    """Return 1: a part is a sample."""
    return 1
