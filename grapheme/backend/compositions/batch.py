"""Roll-outs made of single steps, and their losses made of roll-outs."""

from __future__ import annotations

from grapheme.arrays import Array, ArrayEngine
from grapheme.kernels.batch import BatchKernels
from grapheme.kernels.cell import Boundary, CellKernels
from grapheme.kernels.netlist import Netlist
from grapheme.kernels.trial import Circuits, Trial
from grapheme.timing import section


class ComposedBatch(BatchKernels):
    """The group ``batch`` on top of ``cell``: any kernel of it may be defined anew in a derived class."""

    def __init__(self, cell: CellKernels, engine: ArrayEngine, threads: int | None = None) -> None:
        self._cell, self._engine, self._threads = cell, engine, threads

    def rollout(
        self, netlist: Netlist, coefficients: Array, grids: Array, steps: int, boundary: Boundary, fire: Array | None
    ) -> Array:
        """Take one step after another."""
        states = [grids]
        for t in range(steps):
            states.append(self._cell.step(netlist, coefficients, states[-1], boundary, _at(fire, t)))
        return self._engine.xp.stack(states)

    def rollout_grad(
        self,
        netlist: Netlist,
        coefficients: Array,
        states: Array,
        grad_states: Array,
        boundary: Boundary,
        fire: Array | None,
    ) -> tuple[Array, Array]:
        """Go back one step after another, adding what each state's own gradient brings."""
        steps, given = states.shape[0] - 1, grad_states.shape[0]
        grad, total = grad_states[given - 1], None
        for t in reversed(range(steps)):
            grad, parts = self._cell.step_grad(netlist, coefficients, states[t], grad, boundary, _at(fire, t))
            total = parts if total is None else total + parts
            direct = given - 1 - (steps - t)
            grad = grad + grad_states[direct] if direct >= 0 else grad
        return grad, total

    def hard_rollout(
        self, netlist: Netlist, codes: Array, bits: Array, steps: int, boundary: Boundary, fire: Array | None
    ) -> Array:
        """Take one hard step after another."""
        for t in range(steps):
            bits = self._cell.hard_step(netlist, codes, bits, boundary, _at(fire, t))
        return bits

    def granularity(self, height: int, width: int) -> int:
        """Return 1: parts of steps are taken to be samples."""
        return 1

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
        """Roll out, compare, and roll back."""
        xp = self._engine.xp
        with section("forward"):
            states = self.rollout(netlist, coefficients, grids, steps, boundary, fire)
        with section("loss"):
            final = states[-1, ...]
            difference = (final - target) * xp.reshape(counted, (-1, 1, 1))
            rows = xp.reshape(difference, (difference.shape[0], -1))
            loss = xp.sum(rows * rows, axis=1)
        with section("backward"):
            _, parts = self.rollout_grad(netlist, coefficients, states, 2 * difference[None, ...], boundary, fire)
        return final, loss, parts

    def hard_errors(self, circuits: Circuits, trial: Trial, most: Array) -> Array:
        """Count on the host, in its fastest engine.

        Circuits and trials are arrays of the host, and the counts are whole numbers, so they are the same anywhere.
        Evolution asks for thousands a second: composed of roll-outs, it would take hours where this takes seconds.
        """
        from grapheme.backend.selection import host_backend

        found = host_backend(self._threads).batch.hard_errors(circuits, trial, self._engine.to_numpy(most))
        return self._engine.asarray(found)


def _at(fire: Array | None, t: int) -> Array | None:
    return None if fire is None else fire[t]
