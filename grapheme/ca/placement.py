"""Lays a small circuit out on the layers of a model, so that what evolution makes is a model again.

Kernels become plain wires from the neighbours of a cell. A gate goes to the layer of its depth, and what is needed
further up is handed on from layer to layer.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from grapheme.ca.hard import HardCircuit
from grapheme.ca.model import DiffLogicCA
from grapheme.ca.simplify.logic import Gate, Logic, reads
from grapheme.ca.wiring import CENTRE, Wires
from grapheme.errors import InvalidInputError
from grapheme.kernels import gates


def placed(circuit: HardCircuit, model: DiffLogicCA) -> DiffLogicCA:
    """Return a model with the layers of ``model`` whose hard circuit does the same as ``circuit``."""
    logic = Logic.of(circuit.netlist, circuit.codes)
    codes, below = _kernels(model, logic.support())
    tables, wires = [codes], dict[str, np.ndarray]()
    for index, (layer, (a, b)) in enumerate(zip(_layers(logic, len(model.update)), model.update, strict=True)):
        if len(layer) > len(a):
            raise InvalidInputError(f"{len(layer)} values do not fit into a layer of {len(a)} gates.")
        own, reads_a, reads_b = np.full(len(a), gates.PASS_A), a.copy(), b.copy()
        for place, (_, (code, first, second)) in enumerate(layer):
            own[place], reads_a[place], reads_b[place] = code, below.get(first, 0), below.get(second, 0)
        tables.append(own)
        wires |= {f"update.{index}.a": reads_a, f"update.{index}.b": reads_b}
        below = {node: place for place, (node, _) in enumerate(layer)}
    return DiffLogicCA.from_tensors(model.tensors() | wires).with_codes(np.concatenate(tables).astype(np.uint8))


def _layers(logic: Logic, count: int) -> Iterator[list[tuple[int, Gate]]]:
    """Yield the nodes of each layer with the gates that make them, a wire where the layer below has them already."""
    depth = logic.depths()
    if max(depth) > count:
        raise InvalidInputError(f"A circuit {max(depth)} gates deep does not fit into {count} layers.")
    until = [0] * len(depth)
    for place, gate in enumerate(logic.gates, start=logic.inputs):
        for node in reads(gate):
            until[node] = max(until[node], depth[place] - 1)
    for node in logic.outputs:
        until[node] = count

    def made(node: int, layer: int) -> tuple[int, Gate]:
        return node, logic.gates[node - logic.inputs] if depth[node] == layer else (gates.PASS_A, node, node)

    for layer in range(1, count):
        yield [made(node, layer) for node in range(len(depth)) if depth[node] <= layer <= until[node]]
    yield [made(node, count) for node in logic.outputs]


def _kernels(model: DiffLogicCA, inputs: Sequence[int]) -> tuple[np.ndarray, dict[int, int]]:
    """Return operations (rows,) of kernels that pass on these inputs, and which of the update's features each is."""
    channels, bits = model.channels, len(model.perceive[-1][0])
    widths = [len(a) for a, _ in model.perceive]
    codes = [np.full((model.kernels, width), gates.PASS_A) for width in widths]
    features = {CENTRE * channels + c: c for c in range(channels)}
    needed = sorted({node // channels for node in inputs} - {CENTRE})
    if len(needed) > model.kernels:
        raise InvalidInputError(f"{model.kernels} kernels cannot each pass on one of {len(needed)} neighbours.")
    for kernel, neighbour in enumerate(needed):
        bit, way = _way_up(model.perceive, neighbour)
        for layer, (gate, code) in zip(codes, way, strict=True):
            layer[kernel, gate] = code
        for c in range(channels):
            features[neighbour * channels + c] = channels + (c * bits + bit) * model.kernels + kernel
    return np.concatenate([layer.ravel() for layer in codes]), features


def _way_up(perceive: Sequence[Wires], neighbour: int) -> tuple[int, list[tuple[int, int]]]:
    """Return an output of a kernel that can be a neighbour's bit, and the gates on the way to it."""
    for bit in range(len(perceive[-1][0])):
        way = _way(perceive, bit, neighbour)
        if way is not None:
            return bit, way
    raise InvalidInputError(f"No kernel can pass on neighbour {neighbour}.")


def _way(layers: Sequence[Wires], gate: int, neighbour: int) -> list[tuple[int, int]] | None:
    """Return the gate of each layer, and whether it passes its first or its second input, from a neighbour up."""
    *lower, (a, b) = layers
    for code, read in ((gates.PASS_A, int(a[gate])), (gates.PASS_B, int(b[gate]))):
        way = _way(lower, read, neighbour) if lower else ([] if read == neighbour else None)
        if way is not None:
            return [*way, (gate, code)]
    return None
