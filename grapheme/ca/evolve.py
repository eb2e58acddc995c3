"""Makes a circuit sturdier by changes at random, each of which is kept unless it does harm.

Training goes where the gradient leads, on the wires that it was given. What it comes to, small and right once it is
pruned, can still be changed a gate at a time: another operation, another wire. Most changes break it, which shows at
once; some do nothing, and a few make it sturdier. Where there is chance in the tests, they are better drawn anew now
and then: a circuit that is changed a thousand times for one draw becomes good at that draw only.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from grapheme import gates
from grapheme.ca.hard import HardCircuit
from grapheme.ca.model import DiffLogicCA
from grapheme.ca.prune import Errors, below, live
from grapheme.ca.rewiring import as_model, layers, with_gate
from grapheme.ca.simplify.channels import reaching
from grapheme.ca.simplify.logic import Logic

GROWS_BY = 40
"""No change may add more gates at once."""

LENIENT, A_FEW = 0.2, 3
"""How often a change that makes nothing better may add gates at all, and how many."""

SECOND, REWIRES, KEEPS, NEARBY = 0.3, 0.6, 0.3, 0.5
"""How often a second gate is changed too; a wire is moved; the operation then stays; the wire goes to a gate in use."""


class Judge(Protocol):
    """Tests of a circuit."""

    def errors(self, circuit: HardCircuit) -> Errors:
        """Return how many bits are wrong in each."""

    def no_worse(self, circuit: HardCircuit, most: Errors) -> Errors | None:
        """Return the errors of a circuit, or None as soon as there are more than ``most`` in any test."""


def evolved(model: DiffLogicCA, judge: Judge, tries: int, rng: np.random.Generator) -> DiffLogicCA:
    """Return a model that so many changes were tried on; it does no test of ``judge`` worse than before."""
    circuit = model.harden()
    small = live(circuit)
    stock, errors = _Stock(circuit, layers(model), small.netlist.gates), judge.errors(small)
    for _ in range(tries):
        if any(errors):
            stock, errors = stock.better(judge, errors, rng)
    return as_model(stock.circuit, model)


@dataclass(frozen=True)
class _Stock:
    """A circuit, its nodes layer by layer, and how many gates it has that are not wires."""

    circuit: HardCircuit
    layers: list[np.ndarray]
    size: int

    @functools.cached_property
    def used(self) -> np.ndarray:
        """The gates that a visible channel depends on, wires among them."""
        circuit, layout = self.circuit, self.circuit.layout
        logic = Logic.of(circuit.netlist, circuit.codes)
        needed = reaching(logic, [layout.kept.index(channel) for channel in layout.visible])
        roots = [logic.outputs[channel] for channel in needed]
        return np.array(below(logic, range(circuit.netlist.nodes), roots)) - logic.inputs

    def better(self, judge: Judge, errors: Errors, rng: np.random.Generator) -> tuple[_Stock, Errors]:
        """Return a changed circuit and its errors, unless these are more, or it is larger for nothing: then itself."""
        circuit = self._changed(rng)
        small = live(circuit)
        size = small.netlist.gates
        if size > self.size + GROWS_BY or (found := judge.no_worse(small, errors)) is None:
            return self, errors
        spare = A_FEW if rng.random() < LENIENT else 0
        if found == errors and size > self.size + spare:
            return self, errors
        return _Stock(circuit, self.layers, size), found

    def _changed(self, rng: np.random.Generator) -> HardCircuit:
        """Return the circuit with one gate or two changed."""
        circuit = self._with_another(self.circuit, rng)
        return self._with_another(circuit, rng) if rng.random() < SECOND else circuit

    def _with_another(self, circuit: HardCircuit, rng: np.random.Generator) -> HardCircuit:
        """Return a circuit with another operation or another wire of a gate in use; kernels keep their wires."""
        netlist = circuit.netlist
        gate = int(rng.choice(self.used))
        wires, code = [int(netlist.a[gate]), int(netlist.b[gate])], int(circuit.codes[netlist.param[gate]])
        lower = self._readable(netlist.inputs + gate)
        moves = lower is not None and rng.random() < REWIRES
        if lower is not None and moves:
            inhabited = lower[np.isin(lower - netlist.inputs, self.used)]
            nodes = inhabited if len(inhabited) and rng.random() < NEARBY else lower
            wires[int(rng.integers(2))] = int(rng.choice(nodes))
        if not moves or rng.random() >= KEEPS:
            code = int(rng.integers(len(gates.NAMES)))
        return with_gate(circuit, gate, wires[0], wires[1], code)

    def _readable(self, node: int) -> np.ndarray | None:
        """Return what a gate of the update may read; None for one of a kernel."""
        for lower, layer in zip(self.layers, self.layers[1:], strict=False):
            if layer[0] <= node <= layer[-1]:
                return lower
        return None
