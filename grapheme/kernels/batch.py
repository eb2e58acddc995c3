"""Contract of the group ``batch``: roll-outs through time of a batch of grids.

Shapes as in ``cell``, with time in front: states ``(steps + 1, batch, channel, height, width)``, the first being the
start; ``fire (steps, batch, height, width)`` bool or None.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Protocol

import numpy as np

from grapheme.arrays import Array
from grapheme.kernels.cell import Boundary
from grapheme.kernels.netlist import Netlist
from grapheme.kernels.recipe import Recipe
from grapheme.timing import section

if TYPE_CHECKING:
    from grapheme.backend import Backend
    from grapheme.kernels.trial import Circuits, Trial

KERNELS = ("rollout", "rollout_grad", "hard_rollout", "granularity")
FUSED = ("loss_and_grad", "hard_errors")
"""Kernels made of the others, for a backend to supply only where one call costs it less than several."""


class BatchKernels(Protocol):
    """What ``batch.py`` of a backend holds."""

    def rollout(
        self, netlist: Netlist, coefficients: Array, grids: Array, steps: int, boundary: Boundary, fire: Array | None
    ) -> Array:
        """Return the states of ``steps`` soft steps."""
        ...

    def rollout_grad(
        self,
        netlist: Netlist,
        coefficients: Array,
        states: Array,
        grad_states: Array,
        boundary: Boundary,
        fire: Array | None,
    ) -> tuple[Array, Array]:
        """Pull the gradient ``(k, batch, channel, height, width)`` of the last k states back to the start.

        Return the gradient of the start and that of the coefficients as partial sums ``(parts, parameters, 4)`` in the
        order of the cells that they cover. A part covers the same cells however many samples follow or precede it.
        """
        ...

    def hard_rollout(
        self, netlist: Netlist, codes: Array, bits: Array, steps: int, boundary: Boundary, fire: Array | None
    ) -> Array:
        """Return the grids of bits after ``steps`` hard steps."""
        ...

    def granularity(self, height: int, width: int) -> int:
        """Return the smallest number of samples after which a batch may be cut without changing a partial sum."""
        ...

    def loss_and_grad(
        self,
        netlist: Netlist,
        coefficients: Array,
        grids: Array,
        target: Array,
        counted: Array,
        steps: int,
        boundary: Boundary,
        fire: Array | None,
    ) -> tuple[Array, Array, Array]:
        """Return the last state of a roll-out, its loss (batch,) and the gradient of the coefficients.

        The loss of a sample is the sum of squared differences to ``target``, shaped as the grids; ``counted
        (channel,)`` is 1 for the channels that count, 0 for the others. The gradient is that of the loss of all
        samples, as partial sums like those of ``rollout_grad``.
        """
        ...

    def hard_errors(self, circuits: Circuits, trial: Trial, most: Array) -> Array:
        """Return how many values (circuits,) int64 each circuit gets wrong in a trial.

        A circuit is stopped after the step in which it comes to more than its ``most`` (circuits,) int64.
        """
        ...


def _rollout(backend: Backend) -> Callable[..., Array]:
    step = backend.kernel("cell.step")

    def rollout(
        netlist: Netlist, coefficients: Array, grids: Array, steps: int, boundary: Boundary, fire: Array | None
    ) -> Array:
        states = [grids]
        for t in range(steps):
            states.append(step(netlist, coefficients, states[-1], boundary, _at(fire, t)))
        return backend.xp.stack(states)

    return rollout


def _rollout_grad(backend: Backend) -> Callable[..., tuple[Array, Array]]:
    step_grad = backend.kernel("cell.step_grad")

    def rollout_grad(
        netlist: Netlist,
        coefficients: Array,
        states: Array,
        grad_states: Array,
        boundary: Boundary,
        fire: Array | None,
    ) -> tuple[Array, Array]:
        steps, given = states.shape[0] - 1, grad_states.shape[0]
        grad, total = grad_states[given - 1], None
        for t in reversed(range(steps)):
            grad, parts = step_grad(netlist, coefficients, states[t], grad, boundary, _at(fire, t))
            total = parts if total is None else total + parts
            direct = given - 1 - (steps - t)
            grad = grad + grad_states[direct] if direct >= 0 else grad
        return grad, total

    return rollout_grad


def _hard_rollout(backend: Backend) -> Callable[..., Array]:
    hard_step = backend.kernel("cell.hard_step")

    def hard_rollout(
        netlist: Netlist, codes: Array, bits: Array, steps: int, boundary: Boundary, fire: Array | None
    ) -> Array:
        for t in range(steps):
            bits = hard_step(netlist, codes, bits, boundary, _at(fire, t))
        return bits

    return hard_rollout


def _granularity(backend: Backend) -> Callable[[int, int], int]:
    return lambda height, width: 1


def _loss_and_grad(backend: Backend) -> Callable[..., tuple[Array, Array, Array]]:
    rollout, rollout_grad = backend.kernel("batch.rollout"), backend.kernel("batch.rollout_grad")
    xp = backend.xp

    def loss_and_grad(
        netlist: Netlist,
        coefficients: Array,
        grids: Array,
        target: Array,
        counted: Array,
        steps: int,
        boundary: Boundary,
        fire: Array | None,
    ) -> tuple[Array, Array, Array]:
        with section("forward"):
            states = rollout(netlist, coefficients, grids, steps, boundary, fire)
        with section("loss"):
            final = states[-1, ...]
            difference = (final - target) * xp.reshape(counted, (-1, 1, 1))
            rows = xp.reshape(difference, (difference.shape[0], -1))
            loss = xp.sum(rows * rows, axis=1)
        with section("backward"):
            _, parts = rollout_grad(netlist, coefficients, states, 2 * difference[None, ...], boundary, fire)
        return final, loss, parts

    return loss_and_grad


def _hard_errors(backend: Backend) -> Callable[..., Array]:
    hard_rollout, xp = backend.kernel("batch.hard_rollout"), backend.xp

    def errors(netlist: Netlist, codes: np.ndarray, trial: Trial, most: int) -> int:
        bits, operations, total, done = backend.asarray(trial.start), backend.asarray(codes), 0, 0
        wanted, counted = backend.asarray(trial.wanted), backend.asarray(trial.counted)
        while done < trial.steps and total <= most:
            # steps in which nothing happens to the grids but the circuit are taken at once
            stretch = trial.first if trial.dark is None and done == 0 else 1
            fire = None if trial.fire is None else backend.asarray(trial.fire[done : done + stretch])
            bits = hard_rollout(netlist, operations, bits, stretch, trial.boundary, fire)
            if trial.dark is not None:
                bits = bits & ~backend.asarray(trial.dark[done])[:, None, :, :]
            done += stretch
            if done >= trial.first:
                total += int(xp.sum(xp.astype((bits != wanted) & counted, xp.int64)))
        return total

    def hard_errors(circuits: Circuits, trial: Trial, most: Array) -> Array:
        limits = backend.to_numpy(most).tolist()
        counts = [errors(*circuit, trial, limit) for circuit, limit in zip(circuits.netlists(), limits, strict=True)]
        return backend.asarray(np.array(counts, np.int64))

    return hard_errors


def _at(fire: Array | None, t: int) -> Array | None:
    return None if fire is None else fire[t]


COMPOSED = {
    "batch.rollout": Recipe(("cell.step",), _rollout),
    "batch.rollout_grad": Recipe(("cell.step_grad",), _rollout_grad),
    "batch.hard_rollout": Recipe(("cell.hard_step",), _hard_rollout),
    "batch.granularity": Recipe((), _granularity),
    "batch.loss_and_grad": Recipe(("batch.rollout", "batch.rollout_grad"), _loss_and_grad),
    "batch.hard_errors": Recipe(("batch.hard_rollout",), _hard_errors),
}
"""Roll-outs and trials for a backend that has only steps, and the loss of a roll-out for one that has only those."""
