"""Cases for the kernels of the group ``cell``."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from grapheme.kernels import CellKernels
from grapheme.testing.case import Case, Named
from grapheme.testing.problems import grid_problems


def cases() -> Iterator[Case]:
    """Yield every case, smallest grids first."""
    for name, p in grid_problems():
        fire = None if p.fire is None else p.fire[0]
        soft = (p.netlist, p.coefficients, p.grids)
        yield Case(CellKernels.step, name, (*soft, p.boundary, fire), _grids)
        yield Case(
            CellKernels.step_grad, name, (*soft, np.ascontiguousarray(p.grad_states[-1]), p.boundary, fire), gradients
        )
        yield Case(CellKernels.hard_step, name, (p.netlist, p.codes, p.bits, p.boundary, fire), _grids)


def gradients(grids: np.ndarray, parts: np.ndarray) -> Named:
    """Name what a gradient kernel returns; how many parts it sums in is its own affair."""
    return {"gradient of the grids": grids, "gradient of the coefficients": parts.sum(axis=0)}


def _grids(grids: np.ndarray) -> Named:
    return {"grids": grids}
