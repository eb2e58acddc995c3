"""Circuits of an automaton with other wires: a gate of the update may read any two nodes of the layer below it."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np

from grapheme.ca.hard import HardCircuit
from grapheme.ca.model import DiffLogicCA
from grapheme.ca.wiring import CENTRE
from grapheme.kernels.netlist import Netlist


def with_gate(circuit: HardCircuit, gate: int, a: int, b: int, code: int) -> HardCircuit:
    """Return the circuit with another gate in a place: it reads nodes a and b."""
    old = circuit.netlist
    reads_a, reads_b, codes = old.a.copy(), old.b.copy(), circuit.codes.copy()
    reads_a[gate], reads_b[gate], codes[old.param[gate]] = a, b, code
    netlist = Netlist.build(old.inputs, reads_a, reads_b, old.param, old.outputs, old.parameters)
    return replace(circuit, netlist=netlist, codes=codes)


def as_model(circuit: HardCircuit, model: DiffLogicCA) -> DiffLogicCA:
    """Return the model that a circuit with other gates in the update of ``model`` is of."""
    netlist, nodes, wires = circuit.netlist, layers(model), {}
    for index, (below, layer) in enumerate(itertools.pairwise(nodes)):
        place = np.zeros(netlist.nodes, np.int32)
        place[below] = np.arange(len(below))
        for side, read in (("a", netlist.a), ("b", netlist.b)):
            wires[f"update.{index}.{side}"] = place[read[layer - netlist.inputs]]
    return DiffLogicCA.from_tensors(model.tensors() | wires).with_codes(circuit.codes)


def layers(model: DiffLogicCA) -> list[np.ndarray]:
    """Return the nodes that the update reads, and those of each of its layers."""
    netlist, channels = model.netlist, np.arange(model.channels)
    perceive, update = ([len(a) for a, _ in wires] for wires in (model.perceive, model.update))
    kernels = np.arange(netlist.inputs, netlist.nodes - sum(update)).reshape(model.channels, model.kernels, -1)
    seen = kernels[:, :, -perceive[-1] :].swapaxes(1, 2)
    features = np.concatenate([CENTRE * model.channels + channels, seen.reshape(-1)])
    return [features, *np.split(np.arange(netlist.nodes - sum(update), netlist.nodes), np.cumsum(update)[:-1])]


def levels(model: DiffLogicCA) -> list[np.ndarray]:
    """Return the gates layer by layer, those of all kernels and channels together: a layer reads earlier ones only."""
    widths = [len(a) for a, _ in model.perceive]
    layer = np.tile(np.repeat(np.arange(len(widths)), widths), model.channels * model.kernels)
    perceive = [np.flatnonzero(layer == index) for index in range(len(widths))]
    return perceive + [nodes - model.netlist.inputs for nodes in layers(model)[1:]]
