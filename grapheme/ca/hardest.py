"""Picks the samples of a batch that the hard circuit gets most wrong, so that rare failures are learnt from too."""

from __future__ import annotations

import numpy as np

from grapheme.backend import Backend
from grapheme.ca.checks import Problem
from grapheme.ca.hard import HardCircuit

MOSTLY_WRONG = 0.1


def wrong_values(circuit: HardCircuit, problem: Problem, backend: Backend) -> np.ndarray:
    """Return the error (batch, channel, height, width) of the hard circuit in each value, 0 in those not counted."""
    final = circuit.run(problem.x, problem.steps, problem.fire, backend)
    return np.where(problem.counted[:, None, None], final - problem.y, 0).astype(np.float64)


def hardest(problem: Problem, wrong: np.ndarray, count: int) -> tuple[Problem, np.ndarray]:
    """Return ``count`` samples and their errors: those with the most, earlier ones first among equals.

    While more than ``MOSTLY_WRONG`` of all values are wrong, what is hardest says nothing, and the first are taken.
    """
    if count >= len(problem.x):
        return problem, wrong
    errors = (wrong * wrong).sum(axis=(1, 2, 3))
    lost = errors.sum() > MOSTLY_WRONG * problem.compared
    chosen = np.arange(count) if lost else np.argsort(-errors, kind="stable")[:count]
    fire = None if problem.fire is None else np.ascontiguousarray(problem.fire[:, chosen])
    return Problem(problem.x[chosen], problem.y[chosen], problem.steps, problem.counted, fire), wrong[chosen]
