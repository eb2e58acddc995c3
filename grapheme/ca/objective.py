"""Loss and gradient of a roll-out, a chunk of samples at a time, on arrays of any backend."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from grapheme.arrays import Array, Bits, Floats
from grapheme.backend import Backend
from grapheme.ca.checks import Problem
from grapheme.ca.parametrisation import MIXTURE, PullBack
from grapheme.kernels.netlist import Netlist
from grapheme.timing import section

if TYPE_CHECKING:
    from grapheme.ca.model import DiffLogicCA

STATES_IN_FLIGHT = 2**26
"""Values that a roll-out without gradient keeps at once; longer ones run a stretch of steps at a time."""


@dataclass(frozen=True, eq=False)
class LossAndGrad:
    """What ``loss_and_grad`` returns; the gradient of the parameters stays where the backend works."""

    loss: float
    loss_per_sample: Floats
    final: Floats
    grad: Array
    """(P, 16) as the logits, or (P, n) as other parameters; an array of the backend."""
    model: DiffLogicCA
    backend: Backend

    @property
    def grads(self) -> dict[str, list[Floats]]:
        """The gradient by layer, shaped as the model's ``logits``."""
        return self.model.by_layer(self.backend.to_numpy(self.grad))


def loss_and_grad(
    model: DiffLogicCA, problem: Problem, backend: Backend, gates: tuple[Array, PullBack] | None = None
) -> LossAndGrad:
    """Return the loss of a checked problem, summed over its batch, and its gradient.

    ``gates`` are coefficients and their pull-back, by which the gradient becomes that of other parameters; if None,
    those of the model's logits.
    """
    xp = backend.xp
    with section("forward"):
        coefficients, pull_back = gates or MIXTURE.linearise(model.parameters_on(backend), xp)
    total = xp.zeros_like(coefficients)
    losses, finals = [], []
    for chunk in _chunks(model, problem, backend):
        final, loss, parts = backend.batch.loss_and_grad(
            model.netlist,
            coefficients,
            backend.asarray(chunk.x),
            backend.asarray(chunk.y),
            backend.asarray(chunk.counted.astype(chunk.x.dtype)),
            chunk.steps,
            model.boundary,
            None if chunk.fire is None else backend.asarray(chunk.fire),
        )
        with section("merge"):
            for part in range(parts.shape[0]):
                total = total + parts[part, ...]
        losses.append(backend.to_numpy(loss))
        finals.append(backend.to_numpy(final))
    with section("backward"):
        grad = pull_back(total)
    with section("loss"):
        loss_per_sample = np.concatenate(losses)
        loss_of_batch = float(loss_per_sample.sum(dtype=np.float64))
    return LossAndGrad(loss_of_batch, loss_per_sample, np.concatenate(finals), grad, model, backend)


def rollout(model: DiffLogicCA, grids: Floats, steps: int, fire: Bits | None, backend: Backend) -> Floats:
    """Return the grids after ``steps`` soft steps, keeping few states in memory."""
    coefficients, _ = MIXTURE.linearise(model.parameters_on(backend), backend.xp)
    state = backend.asarray(grids)
    stretch = max(1, STATES_IN_FLIGHT // grids.size)
    for start in range(0, steps, stretch):
        count = min(stretch, steps - start)
        mask = None if fire is None else backend.asarray(fire[start : start + count])
        state = backend.batch.rollout(model.netlist, coefficients, state, count, model.boundary, mask)[-1, ...]
    return backend.to_numpy(state)


def bytes_per_sample(netlist: Netlist, grids: Floats, steps: int) -> int:
    """Return about how much memory the loss of one sample takes with its gradient."""
    _, channels, height, width = grids.shape
    states = channels * height * width * (steps + 4 + 9)  # states, gradients, gradients of the inputs
    sums = 4 * netlist.parameters * (1 + height * width // 32)
    return int((states + sums) * grids.itemsize)


def _chunks(model: DiffLogicCA, problem: Problem, backend: Backend) -> Iterator[Problem]:
    """Cut a batch into chunks that fit in memory, at samples where no partial sum is cut."""
    batch, _, height, width = problem.x.shape
    size = backend.parallelism.chunk(
        batch,
        bytes_per_sample(model.netlist, problem.x, problem.steps),
        backend.batch.granularity(height, width),
    )
    for start in range(0, batch, size):
        part = slice(start, start + size)
        fire = None if problem.fire is None else np.ascontiguousarray(problem.fire[:, part])
        yield Problem(problem.x[part], problem.y[part], problem.steps, problem.counted, fire)
