"""What every node of a circuit shows in one step, for all cells at once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np

from grapheme.arrays import Bits
from grapheme.ca.hard import HardCircuit
from grapheme.kernels import gates
from grapheme.kernels.neighbourhood import neighbourhoods


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
        inputs = neighbourhoods(grids, circuit.boundary).reshape(netlist.inputs, -1)
        packed = np.empty((netlist.nodes, -(-inputs.shape[1] // 8)), np.uint8)
        packed[: netlist.inputs] = np.packbits(inputs, axis=1)
        for level in levels:
            a, b = packed[netlist.a[level]], packed[netlist.b[level]]
            packed[netlist.inputs + level] = gates.each_on_words(circuit.codes[netlist.param[level]], a, b)
        return cls(packed, inputs.shape[1])

    def __getitem__(self, nodes: int | np.ndarray) -> np.ndarray:
        """Return the bits (..., cells) uint8 of some nodes."""
        return np.unpackbits(self.packed[nodes], axis=-1, count=self.cells)
