"""Many circuits on the same grids: what happens to these, what they shall show, and the circuits as flat arrays."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Self

import numpy as np

from grapheme.arrays import Bits, Ints
from grapheme.kernels.cell import Boundary
from grapheme.kernels.netlist import Netlist


@dataclass(frozen=True, eq=False)
class Trial:
    """Grids to start from and to reach, and damage on the way; immutable, so a backend may keep what it derives.

    After each step the cells that are ``dark`` are 0 in all channels. After each step from ``first`` on, counted from
    1, the values that are ``counted`` are compared with those ``wanted``.
    """

    start: Bits
    """(batch, channel, height, width)"""
    boundary: Boundary
    steps: int
    fire: Bits | None
    """(steps, batch, height, width): which cells update; all, if None."""
    dark: Bits | None
    """(steps, batch, height, width): which go dark; none, if None."""
    wanted: Bits
    """(batch, channel, height, width)"""
    counted: Bits
    """(batch, channel, height, width)"""
    first: int

    @property
    def times(self) -> int:
        """After how many steps values are compared."""
        return self.steps - self.first + 1


@dataclass(frozen=True, eq=False)
class Circuits:
    """Circuits with as many inputs, gates and outputs each; every gate has an operation code of its own.

    Nodes are numbered as in a netlist.
    """

    inputs: int
    codes: np.ndarray
    """(circuits, gates) uint8"""
    a: Ints
    """(circuits, gates)"""
    b: Ints
    """(circuits, gates)"""
    outputs: Ints
    """(circuits, channels)"""

    @classmethod
    def of(cls, netlist: Netlist, codes: np.ndarray) -> Self:
        """Return one netlist with operation codes (parameters,) for its parameter rows."""
        own = codes[netlist.param].astype(np.uint8)
        return cls(netlist.inputs, own[None], netlist.a[None], netlist.b[None], netlist.outputs[None])

    def __len__(self) -> int:
        return len(self.codes)

    def take(self, chosen: np.ndarray) -> Circuits:
        """Return some of them, by their numbers."""
        return Circuits(self.inputs, self.codes[chosen], self.a[chosen], self.b[chosen], self.outputs[chosen])

    def netlists(self) -> Iterable[tuple[Netlist, np.ndarray]]:
        """Yield each as a netlist, a parameter row for every gate, and its operation codes."""
        for codes, a, b, outputs in zip(self.codes, self.a, self.b, self.outputs, strict=True):
            yield Netlist.build(self.inputs, a, b, np.arange(len(codes)), outputs, len(codes)), codes
