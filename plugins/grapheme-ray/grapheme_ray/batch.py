"""Roll-outs of a batch, each worker some samples; one exchange for each kernel, and so one for a loss with gradient."""

from __future__ import annotations

import numpy as np

from grapheme.arrays import Bits, Floats
from grapheme.kernels.cell import Boundary
from grapheme.kernels.netlist import Netlist
from grapheme.timing import section
from grapheme_ray import tasks
from grapheme_ray.team import Call, Team

HARD_WORK = 10**8
"""Hard gates of a cell and step that a worker should at least have: numba takes 2 ms for them, Ray as long to ask."""


class BatchKernels:
    """The kernels of the group ``batch`` on a team.

    Answers are put together in the order of the samples, partial sums too: the core then adds the very sums that the
    inner backend alone would have returned, in the same order.
    """

    def __init__(self, team: Team) -> None:
        self._team = team

    def rollout(
        self, netlist: Netlist, coefficients: Floats, grids: Floats, steps: int, boundary: Boundary, fire: Bits | None
    ) -> Floats:
        """Return the states of ``steps`` soft steps."""
        kept = self._team.keep(netlist)
        calls = [
            Call(tasks.kernel, kept, ("batch.rollout", coefficients, grids[some], steps, boundary, _part(fire, some)))
            for some in self._team.shards(grids.shape)
        ]
        return np.concatenate(self._team.exchange(calls), axis=1)

    def rollout_grad(
        self, netlist: Netlist, coefficients: Floats, states: Floats, grad_states: Floats, boundary: Boundary,
        fire: Bits | None,
    ) -> tuple[Floats, Floats]:  # fmt: skip
        """Pull the gradient of the last states back to the start."""
        kept = self._team.keep(netlist)
        calls = [
            Call(
                tasks.kernel,
                kept,
                (
                    "batch.rollout_grad",
                    coefficients,
                    _part(states, some),
                    _part(grad_states, some),
                    boundary,
                    _part(fire, some),
                ),
            )
            for some in self._team.shards(states.shape[1:])
        ]
        grads, parts = zip(*self._team.exchange(calls), strict=True)
        return np.concatenate(grads), np.concatenate(parts)

    def hard_rollout(
        self, netlist: Netlist, codes: np.ndarray, bits: Bits, steps: int, boundary: Boundary, fire: Bits | None
    ) -> Bits:
        """Return the grids of bits after ``steps`` hard steps."""
        kept = self._team.keep(netlist)
        most = netlist.gates * (bits.size // bits.shape[1]) * steps // HARD_WORK
        calls = [
            Call(tasks.kernel, kept, ("batch.hard_rollout", codes, bits[some], steps, boundary, _part(fire, some)))
            for some in self._team.shards(bits.shape, most)
        ]
        return np.concatenate(self._team.exchange(calls))

    def loss_and_grad(
        self, netlist: Netlist, coefficients: Floats, grids: Floats, target: Floats, counted: Floats, steps: int,
        boundary: Boundary, fire: Bits | None,
    ) -> tuple[Floats, Floats, Floats]:  # fmt: skip
        """Return last state, loss and partial sums of the gradient."""
        kept, merge = self._team.keep(netlist), self._team.settings.merge
        calls = [
            Call(
                tasks.loss_and_grad,
                kept,
                (merge, coefficients, grids[some], target[some], counted, steps, boundary, _part(fire, some)),
            )
            for some in self._team.shards(grids.shape)
        ]
        with section("exchange"):
            finals, losses, parts = zip(*self._team.exchange(calls), strict=True)
        return np.concatenate(finals), np.concatenate(losses), np.concatenate(parts)

    def granularity(self, height: int, width: int) -> int:
        """Return after how many samples the inner backend lets a batch be cut."""
        return self._team.granularity(height, width)


def _part(array: np.ndarray | None, some: slice) -> np.ndarray | None:
    """Return some samples of an array with time in front."""
    return None if array is None else np.ascontiguousarray(array[:, some])
