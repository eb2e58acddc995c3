"""A circuit as the passes see it: gates with an operation of their own each, in plain lists."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from grapheme.kernels import gates as operations
from grapheme.kernels.netlist import Netlist, depths

Gate = tuple[int, int, int]
"""Operation code, node a, node b."""


@dataclass(frozen=True)
class Logic:
    """Gates in topological order; nodes are numbered as in a netlist."""

    inputs: int
    gates: Sequence[Gate]
    outputs: Sequence[int]

    @classmethod
    def of(cls, netlist: Netlist, codes: np.ndarray) -> Logic:
        """Return a netlist and its operation codes (parameters,) as logic."""
        gates = list(zip(codes[netlist.param].tolist(), netlist.a.tolist(), netlist.b.tolist(), strict=True))
        return cls(netlist.inputs, gates, netlist.outputs.tolist())

    def netlist(self) -> tuple[Netlist, np.ndarray]:
        """Return a netlist in which every gate has a parameter row, and the operation codes (gates,) uint8."""
        count = len(self.gates)
        codes, a, b = np.array(self.gates, np.int64).reshape(count, 3).T
        return Netlist.build(self.inputs, a, b, np.arange(count), self.outputs, count), codes.astype(np.uint8)

    def support(self) -> list[int]:
        """Return the inputs, in order, that some gate or output reads."""
        read = {node for gate in self.gates for node in reads(gate)} | set(self.outputs)
        return sorted(node for node in read if node < self.inputs)

    def depths(self) -> list[int]:
        """Return the depth of each node, counting only what gates depend on."""
        return depths(self.inputs, map(reads, self.gates))

    def evaluate(self, inputs: np.ndarray) -> np.ndarray:
        """Return the words (nodes, words) uint64 of all nodes, given those of the inputs."""
        nodes = np.empty((self.inputs + len(self.gates), inputs.shape[1]), np.uint64)
        nodes[: self.inputs] = inputs
        for node, (code, a, b) in enumerate(self.gates, start=self.inputs):
            nodes[node] = operations.on_words(code, nodes[a], nodes[b])
        return nodes


def reads(gate: Gate) -> tuple[int, ...]:
    """Return the nodes that a gate depends on: a constant on none, a wire or an inverter on one."""
    code, a, b = gate
    if code in (operations.FALSE, operations.TRUE):
        return ()
    if code in (operations.PASS_A, operations.NOT_A):
        return (a,)
    return (b,) if code in (operations.PASS_B, operations.NOT_B) else (a, b)


def truth_table(variables: int) -> np.ndarray:
    """Return words (variables, words) whose bits run through every assignment; less than a word's worth repeat."""
    assignments = np.arange(max(64, 2**variables), dtype=np.uint64)
    bits = (assignments[None] >> np.arange(variables, dtype=np.uint64)[:, None] & np.uint64(1)).astype(np.uint8)
    return np.packbits(bits, axis=1, bitorder="little").view(np.uint64)
