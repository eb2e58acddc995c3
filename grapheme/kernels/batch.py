"""Contract of the group ``batch``: roll-outs through time of a batch of grids.

Shapes as in ``cell``, with time in front: states ``(steps + 1, batch, channel, height, width)``, the first being the
start; ``fire (steps, batch, height, width)`` bool or None.
"""

from __future__ import annotations

from typing import Protocol

from grapheme.arrays import Array
from grapheme.kernels.cell import Boundary
from grapheme.kernels.netlist import Netlist
from grapheme.kernels.trial import Circuits, Trial


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
