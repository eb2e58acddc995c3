"""Contract of the group ``batch``: roll-outs through time of a batch of grids.

Shapes as in ``cell``, with time in front: states ``(steps + 1, batch, channel, height, width)``, the first being the
start; ``fire (steps, batch, height, width)`` bool or None.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from grapheme.arrays import Array
from grapheme.kernels.cell import Boundary
from grapheme.netlist import Netlist

if TYPE_CHECKING:
    from grapheme.backend import Backend

KERNELS = ("rollout", "rollout_grad", "hard_rollout", "granularity")


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


@dataclass(frozen=True)
class Recipe:
    """A kernel made of others: which it needs, and how it is made."""

    parts: tuple[str, ...]
    make: Callable[[Backend], Callable[..., Any]]


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


def _at(fire: Array | None, t: int) -> Array | None:
    return None if fire is None else fire[t]


COMPOSED = {
    "batch.rollout": Recipe(("cell.step",), _rollout),
    "batch.rollout_grad": Recipe(("cell.step_grad",), _rollout_grad),
    "batch.hard_rollout": Recipe(("cell.hard_step",), _hard_rollout),
    "batch.granularity": Recipe((), _granularity),
}
"""Roll-outs for a backend that has only steps."""
