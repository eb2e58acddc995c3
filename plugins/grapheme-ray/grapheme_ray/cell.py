"""One step of all cells, each worker some samples."""

from __future__ import annotations

from typing import Any

import numpy as np

from grapheme.arrays import Bits, Floats
from grapheme.kernels.cell import Boundary
from grapheme.kernels.netlist import Netlist
from grapheme_ray import tasks
from grapheme_ray.team import Call, Team


class CellKernels:
    """The kernels of the group ``cell`` on a team."""

    def __init__(self, team: Team) -> None:
        self._team = team

    def step(
        self, netlist: Netlist, coefficients: Floats, grids: Floats, boundary: Boundary, fire: Bits | None
    ) -> Floats:
        """Return the grids after one soft step."""
        return np.concatenate(self._run("cell.step", netlist, coefficients, (grids,), boundary, fire))

    def step_grad(
        self, netlist: Netlist, coefficients: Floats, grids: Floats, grad: Floats, boundary: Boundary, fire: Bits | None
    ) -> tuple[Floats, Floats]:
        """Pull ``grad`` back through one step."""
        answers = self._run("cell.step_grad", netlist, coefficients, (grids, grad), boundary, fire)
        return np.concatenate([below for below, _ in answers]), np.concatenate([parts for _, parts in answers])

    def hard_step(self, netlist: Netlist, codes: np.ndarray, bits: Bits, boundary: Boundary, fire: Bits | None) -> Bits:
        """Return the grids of bits after one step."""
        return np.concatenate(self._run("cell.hard_step", netlist, codes, (bits,), boundary, fire))

    def _run(
        self, kernel: str, netlist: Netlist, table: np.ndarray, grids: tuple[np.ndarray, ...], boundary: Boundary,
        fire: Bits | None,
    ) -> list[Any]:  # fmt: skip
        kept = self._team.keep(netlist)
        return self._team.exchange(
            [
                Call(
                    tasks.kernel,
                    kept,
                    (kernel, table, *(g[some] for g in grids), boundary, None if fire is None else fire[some]),
                )
                for some in self._team.shards(grids[0].shape)
            ]
        )
