"""Cases for the kernels of the group ``batch``."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from grapheme.kernels import BatchKernels
from grapheme.testing.case import Case, Named, named
from grapheme.testing.cell import gradients
from grapheme.testing.problems import grid_problem, grid_problems, states_of, stopped_problem, trial_problem


def cases() -> Iterator[Case]:
    """Yield every case, smallest grids first."""
    for name, p in grid_problems():
        start = (p.netlist, p.coefficients, p.grids, p.steps, p.boundary, p.fire)
        yield Case(BatchKernels.rollout, name, start, _states)
        back = (p.netlist, p.coefficients, states_of(p), p.grad_states, p.boundary, p.fire)
        yield Case(BatchKernels.rollout_grad, name, back, gradients)
        bits = (p.netlist, p.codes, p.bits, p.steps, p.boundary, p.fire)
        yield Case(BatchKernels.hard_rollout, name, bits, _bits)
        aim = (p.target, p.counted, p.steps, p.boundary, p.fire)
        yield Case(BatchKernels.loss_and_grad, name, (p.netlist, p.coefficients, p.grids, *aim), _loss)
        yield Case(BatchKernels.hard_errors, name, trial_problem(p), named("errors"))
    large = grid_problem(99, (3, 2, 70, 71), boundary="periodic", asynchronous=True)
    yield Case(BatchKernels.hard_errors, "3x2x70x71 periodic async", trial_problem(large), named("errors"))
    yield Case(BatchKernels.hard_errors, "stopped at its limit", stopped_problem(), named("errors"))
    for height, width in ((1, 1), (3, 3), (16, 16)):
        yield Case(BatchKernels.granularity, f"{height}x{width}", (height, width), _at_least_one)


def _states(states: np.ndarray) -> Named:
    return {"states": states}


def _bits(bits: np.ndarray) -> Named:
    return {"bits": bits}


def _loss(final: np.ndarray, loss: np.ndarray, parts: np.ndarray) -> Named:
    return {"last state": final, "loss": loss, "gradient of the coefficients": parts.sum(axis=0)}


def _at_least_one(samples: int) -> Named:
    """Any number of samples will do; only that it is one or more is checked."""
    return {"a positive number": np.array([samples >= 1])}
