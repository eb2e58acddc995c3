"""What every node of a circuit shows in one step, for all cells at once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np

from grapheme.arrays import Bits
from grapheme.ca.hard import HardCircuit
from grapheme.kernels import gates
from grapheme.kernels.cell import Boundary


@dataclass(frozen=True, eq=False)
class Signals:
    """``packed (nodes, bytes)``: the bits of ``cells`` cells, eight a byte."""

    packed: np.ndarray
    cells: int

    @classmethod
    def of(cls, circuit: HardCircuit, grids: Bits, levels: list[np.ndarray]) -> Self:
        """Return all signals of a step that begins with ``grids (batch, channel, height, width)``.

        ``levels`` are the gates in groups that read nothing but inputs and earlier groups.
        """
        netlist = circuit.netlist
        inputs = _neighbourhoods(grids, circuit.boundary)
        packed = np.empty((netlist.nodes, -(-inputs.shape[1] // 8)), np.uint8)
        packed[: netlist.inputs] = np.packbits(inputs, axis=1)
        for level in levels:
            a, b = packed[netlist.a[level]], packed[netlist.b[level]]
            one, of_a, of_b, of_both = _MASKS[:, circuit.codes[netlist.param[level]], None]
            packed[netlist.inputs + level] = one ^ (of_a & a) ^ (of_b & b) ^ (of_both & a & b)
        return cls(packed, inputs.shape[1])

    def __getitem__(self, nodes: int | np.ndarray) -> np.ndarray:
        """Return the bits (..., cells) uint8 of some nodes."""
        return np.unpackbits(self.packed[nodes], axis=-1, count=self.cells)


_MASKS = np.where(gates.POLYNOMIAL.T, np.uint8(255), np.uint8(0))
"""(4, operations): all bits of a byte, or none, for each term of an operation's polynomial."""


def _neighbourhoods(grids: Bits, boundary: Boundary) -> Bits:
    """Return the inputs (9 * channels, cells) of all cells: for each neighbour, row by row, every channel."""
    batch, channels, height, width = grids.shape
    around = ((0, 0), (0, 0), (1, 1), (1, 1))
    padded = np.pad(grids, around, mode="wrap") if boundary == "periodic" else np.pad(grids, around)
    shifted = [padded[:, :, y : y + height, x : x + width] for y in range(3) for x in range(3)]
    return np.stack(shifted).swapaxes(1, 2).reshape(9 * channels, batch * height * width)
