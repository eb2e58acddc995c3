"""Contract of the group ``cell``: one step of all cells of all samples.

Shapes: grids ``(batch, channel, height, width)``; the netlist has ``9 * channel`` inputs, feature ``p * channel + c``
being channel ``c`` of neighbour ``p`` (0..8 row by row, 4 the cell itself), and ``channel`` outputs. Outside the grid,
``boundary`` "periodic" wraps round and "zero" reads 0. ``fire (batch, height, width)`` bool says which cells update;
None means all. A cell that does not fire keeps its value and passes its gradient on.
"""

from __future__ import annotations

from typing import Literal, Protocol

from grapheme.arrays import Array
from grapheme.kernels.netlist import Netlist

Boundary = Literal["periodic", "zero"]
BOUNDARIES: tuple[Boundary, ...] = ("periodic", "zero")


class CellKernels(Protocol):
    """What ``cell.py`` of a backend holds."""

    def step(
        self, netlist: Netlist, coefficients: Array, grids: Array, boundary: Boundary, fire: Array | None
    ) -> Array:
        """Return the grids after one soft step; ``coefficients (parameters, 4)``."""
        ...

    def step_grad(
        self, netlist: Netlist, coefficients: Array, grids: Array, grad: Array, boundary: Boundary, fire: Array | None
    ) -> tuple[Array, Array]:
        """Pull ``grad``, the gradient of the grids after the step, back through it.

        Return the gradient of ``grids`` and that of the coefficients as partial sums ``(parts, parameters, 4)``, in
        the order of the cells that they cover; the core adds them up in that order.
        """
        ...

    def hard_step(self, netlist: Netlist, codes: Array, bits: Array, boundary: Boundary, fire: Array | None) -> Array:
        """Return the grids of bits after one step; ``codes (parameters,)`` uint8 are operation codes."""
        ...
