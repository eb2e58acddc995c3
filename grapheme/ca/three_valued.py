"""Simulation with the values 0, 1 and unknown.

A bit is a pair of bounds: the lower is 1 if the bit must be 1, the upper if it may be. A gate on bounds is a few gates,
so the three-valued automaton is a hard circuit with twice the channels, and any backend runs it.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from grapheme.arrays import Bits
from grapheme.backend import Backend
from grapheme.ca.hard import HardCircuit
from grapheme.ca.simplify import dead
from grapheme.ca.simplify.logic import Gate, Logic
from grapheme.kernels import gates


def bounds(circuit: HardCircuit, shape: Sequence[int], steps: int, backend: Backend | str | None) -> tuple[Bits, Bits]:
    """Return bounds (channel, height, width), lower and upper, of all bits after ``steps`` from an unknown start."""
    start = np.zeros((1, 2, circuit.channels, *shape), np.bool_)
    start[:, 1] = True
    final = three_valued(circuit).run(start.reshape(1, -1, *shape), steps, backend=backend)
    lower, upper = final.reshape(start.shape)[0]
    return lower, upper


def three_valued(circuit: HardCircuit) -> HardCircuit:
    """Return the automaton of bounds: the channels of the lower ones, then those of the upper ones."""
    logic = Logic.of(circuit.netlist, circuit.codes)
    channels, built = circuit.channels, _Bounds(18 * circuit.channels)
    nodes = []
    for node in range(logic.inputs):
        place, channel = divmod(node, channels)
        nodes.append((2 * channels * place + channel, 2 * channels * place + channels + channel))
    for code, a, b in logic.gates:
        nodes.append(built.gate(code, nodes[a], nodes[b]))
    outputs = [nodes[output][side] for side in (0, 1) for output in logic.outputs]
    doubled = dead.remove(Logic(built.inputs, built.gates, outputs))
    return HardCircuit(*doubled.netlist(), circuit.boundary)


class _Bounds:
    """Gates on bounds, written one after another."""

    def __init__(self, inputs: int) -> None:
        self.inputs = inputs
        self.gates: list[Gate] = []

    def add(self, code: int, a: int, b: int) -> int:
        self.gates.append((code, a, b))
        return self.inputs + len(self.gates) - 1

    def gate(self, code: int, a: tuple[int, int], b: tuple[int, int]) -> tuple[int, int]:
        """Return lower and upper bound of an operation: it may be 1 if it is for values that a and b may have."""
        return self.add(gates.NOT_A, *[self._may_be(15 - code, a, b)] * 2), self._may_be(code, a, b)

    def _may_be(self, code: int, a: tuple[int, int], b: tuple[int, int]) -> int:
        """Join the rows of the truth table that hold: a may be 1 by its upper bound, 0 unless its lower one is 1."""
        rows = [
            self.add(gates.code_of(lambda u, v, x=x, y=y: u == x and v == y), a[x], b[y])  # type: ignore[misc]
            for x in (False, True)
            for y in (False, True)
            if gates.value(code, x, y)
        ]
        if not rows:
            return self.add(gates.FALSE, 0, 0)
        while len(rows) > 1:
            rows = [*rows[2:], self.add(7, rows[0], rows[1])]
        return rows[0]
