"""One step of all cells, each worker some samples."""

from __future__ import annotations

import numpy as np

from grapheme.arrays import Bits, Floats
from grapheme.kernels.cell import Boundary
from grapheme.kernels.netlist import Netlist
from grapheme_ray import tasks
from grapheme_ray.team import Team, call


class RayCell:
    """The kernels of the group ``cell`` on a team."""

    def __init__(self, team: Team) -> None:
        self._team = team

    def step(
        self, netlist: Netlist, coefficients: Floats, grids: Floats, boundary: Boundary, fire: Bits | None
    ) -> Floats:
        """Return the grids after one soft step."""
        kept = self._team.keep(netlist)
        calls = [
            call(tasks.step, kept, coefficients, grids[some], boundary, _part(fire, some))
            for some in self._team.shards(grids.shape)
        ]
        return np.concatenate(self._team.exchange(calls))

    def step_grad(
        self, netlist: Netlist, coefficients: Floats, grids: Floats, grad: Floats, boundary: Boundary, fire: Bits | None
    ) -> tuple[Floats, Floats]:
        """Pull ``grad`` back through one step."""
        kept = self._team.keep(netlist)
        calls = [
            call(tasks.step_grad, kept, coefficients, grids[some], grad[some], boundary, _part(fire, some))
            for some in self._team.shards(grids.shape)
        ]
        below, parts = zip(*self._team.exchange(calls), strict=True)
        return np.concatenate(below), np.concatenate(parts)

    def hard_step(self, netlist: Netlist, codes: np.ndarray, bits: Bits, boundary: Boundary, fire: Bits | None) -> Bits:
        """Return the grids of bits after one step."""
        kept = self._team.keep(netlist)
        calls = [
            call(tasks.hard_step, kept, codes, bits[some], boundary, _part(fire, some))
            for some in self._team.shards(bits.shape)
        ]
        return np.concatenate(self._team.exchange(calls))


def _part(fire: Bits | None, some: slice) -> Bits | None:
    return None if fire is None else fire[some]
