"""Roll-outs of a batch, each worker some samples; one exchange for each kernel, and so one for a loss with gradient."""

from __future__ import annotations

from typing import Any

import numpy as np

from grapheme.arrays import Bits, Floats
from grapheme.kernels.cell import Boundary
from grapheme.kernels.netlist import Netlist
from grapheme.kernels.trial import Circuits, Trial
from grapheme.timing import section
from grapheme_ray import tasks
from grapheme_ray.team import Team, call

HARD_WORK = 10**8
"""Hard gates of a cell and step that a worker should at least have: numba takes 2 ms for them, Ray as long to ask."""


class RayBatch:
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
            call(tasks.rollout, kept, coefficients, grids[some], steps, boundary, _fired(fire, some))
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
            call(
                tasks.rollout_grad, kept, coefficients, _part(states, some), _part(grad_states, some), boundary,
                _fired(fire, some),
            )
            for some in self._team.shards(states.shape[1:])
        ]  # fmt: skip
        grads, parts = zip(*self._team.exchange(calls), strict=True)
        return np.concatenate(grads), np.concatenate(parts)

    def hard_rollout(
        self, netlist: Netlist, codes: np.ndarray, bits: Bits, steps: int, boundary: Boundary, fire: Bits | None
    ) -> Bits:
        """Return the grids of bits after ``steps`` hard steps."""
        kept = self._team.keep(netlist)
        most = netlist.gates * (bits.size // bits.shape[1]) * steps // HARD_WORK
        calls = [
            call(tasks.hard_rollout, kept, codes, bits[some], steps, boundary, _fired(fire, some))
            for some in self._team.shards(bits.shape, most)
        ]
        return np.concatenate(self._team.exchange(calls))

    def granularity(self, height: int, width: int) -> int:
        """Return after how many samples the inner backend lets a batch be cut."""
        return self._team.granularity(height, width)

    def loss_and_grad(
        self, netlist: Netlist, coefficients: Floats, grids: Floats, target: Floats, counted: Floats, steps: int,
        boundary: Boundary, fire: Bits | None,
    ) -> tuple[Floats, Floats, Floats]:  # fmt: skip
        """Return last state, loss and partial sums of the gradient."""
        kept, merge = self._team.keep(netlist), self._team.settings.merge
        calls = [
            call(
                tasks.loss_and_grad, kept, merge, coefficients, grids[some], target[some], counted, steps, boundary,
                _fired(fire, some),
            )
            for some in self._team.shards(grids.shape)
        ]  # fmt: skip
        with section("exchange"):
            finals, losses, parts = zip(*self._team.exchange(calls), strict=True)
        return np.concatenate(finals), np.concatenate(losses), np.concatenate(parts)

    def hard_errors(self, circuits: Circuits, trial: Trial, most: np.ndarray) -> np.ndarray:
        """Return how many values each circuit gets wrong in a trial; each worker tries some of the circuits."""
        kept, numbers = self._team.keep(trial), np.arange(len(circuits))
        cells = trial.start.size // trial.start.shape[1]
        pieces = circuits.codes.size * cells * trial.steps // HARD_WORK
        calls = [
            call(tasks.hard_errors, kept, circuits.take(numbers[some]), most[some])
            for some in self._team.parts(len(circuits), pieces)
        ]
        return np.concatenate(self._team.exchange(calls))


def _part(array: np.ndarray[Any, Any], some: slice) -> np.ndarray[Any, Any]:
    """Return some samples of an array with time in front."""
    return np.ascontiguousarray(array[:, some])


def _fired(fire: Bits | None, some: slice) -> Bits | None:
    return None if fire is None else _part(fire, some)
