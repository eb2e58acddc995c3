"""Picks the samples of a batch that the hard circuit gets most wrong, so that rare failures are learnt from too."""

from __future__ import annotations

import numpy as np

from grapheme.backend import Backend
from grapheme.ca.checks import Problem
from grapheme.ca.hard import HardCircuit


def wrong_values(circuit: HardCircuit, problem: Problem, backend: Backend) -> np.ndarray:
    """Return the error (batch, channel, height, width) of the hard circuit in each value, 0 in those not counted."""
    final = circuit.run(problem.x, problem.steps, problem.fire, backend)
    return np.where(problem.counted[:, None, None], final - problem.y, 0).astype(np.float64)


def hardest(problem: Problem, wrong: np.ndarray, count: int) -> tuple[Problem, np.ndarray]:
    """Return the ``count`` samples with the most errors, earlier ones first among equals, and their errors."""
    if count >= len(problem.x):
        return problem, wrong
    errors = (wrong * wrong).sum(axis=(1, 2, 3))
    worst = np.argsort(-errors, kind="stable")[:count]
    fire = None if problem.fire is None else np.ascontiguousarray(problem.fire[:, worst])
    return Problem(problem.x[worst], problem.y[worst], problem.steps, problem.counted, fire), wrong[worst]
