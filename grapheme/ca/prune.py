"""Takes out of a learnt circuit what its task does not need: every gate is tried as a wire and as a constant.

Training ends as soon as all is right, and leaves many gates that do something now and then, or nothing at all. What is
right with fewer gates has fewer ways to go wrong where it was never tried, as on larger grids.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from grapheme.ca.hard import HardCircuit
from grapheme.ca.simplify.channels import reaching
from grapheme.ca.simplify.logic import Logic, reads
from grapheme.ca.wiring import CENTRE
from grapheme.kernels import gates
from grapheme.kernels.netlist import Netlist

CONSTANTS = (gates.FALSE, gates.TRUE)

PLACES = (0, 1)
"""Of the first and the second input of a gate."""

MANY = 64
"""So many gates at most are tried at once."""

Errors = tuple[int, ...]
"""How many bits are wrong in each of several tests."""

NoWorse = Callable[[HardCircuit, Errors], Errors | None]
"""Returns the errors of a circuit, or None as soon as there are more than given in any test."""


def pruned(circuit: HardCircuit, errors: Errors, no_worse: NoWorse) -> tuple[np.ndarray, Errors]:
    """Return operation codes (parameters,) with fewer gates, and their errors, no more than before in any test.

    ``errors`` is how many the circuit makes now. Where gates do harm now and then, there are fewer in the end. Every
    gate is tried once, from the outputs down, many at a time while that does no harm.
    """
    needed: set[int] = set()
    small, many = live(circuit), MANY
    while rows := [row for row in _gates(small) if row not in needed]:
        found = None
        while found is None and many > 1:
            found = _without(small, rows[:many], errors, no_worse)
            many = many // 2 if found is None else min(2 * many, MANY)
        if found is None:
            found, many = _simpler(small, rows[0], errors, no_worse), 2
        if found is None:
            needed.add(rows[0])
        else:
            circuit, errors = replace(circuit, codes=found[0]), found[1]
            small = live(circuit)
    return circuit.codes, errors


def live(circuit: HardCircuit) -> HardCircuit:
    """Return the circuit with those gates only that a visible channel ever depends on, and without wires.

    Gates keep their parameter rows, so that a change of one is the same change in both; wires that are needed as such
    are gone. Channels that no visible one depends on stay as they are.
    """
    netlist, layout = circuit.netlist, circuit.layout
    logic = Logic.of(netlist, circuit.codes)
    needed = reaching(logic, [layout.kept.index(channel) for channel in layout.visible])
    stands = _bypassed(logic)
    outputs = {channel: stands[logic.outputs[channel]] for channel in needed}
    kept = below(logic, stands, list(outputs.values()))
    place = {node: logic.inputs + i for i, node in enumerate(kept)}

    def new(node: int) -> int:
        return place.get(stands[node], stands[node] if stands[node] < logic.inputs else 0)

    wires = [(new(a), new(b)) for _, a, b in (logic.gates[node - logic.inputs] for node in kept)]
    a, b = np.array(wires, np.int64).reshape(-1, 2).T
    rows = netlist.param[np.array(kept, np.int64) - logic.inputs]
    leaving = [
        new(outputs[channel]) if channel in outputs else CENTRE * circuit.channels + channel
        for channel in range(circuit.channels)
    ]
    small = Netlist.build(netlist.inputs, a, b, rows, leaving, netlist.parameters)
    return replace(circuit, netlist=small)


def _bypassed(logic: Logic) -> list[int]:
    """Return for each node the one that it stands for: a wire for what it passes on, all others for themselves."""
    stands = list(range(logic.inputs))
    for node, gate in enumerate(logic.gates, start=logic.inputs):
        stands.append(stands[reads(gate)[0]] if gate[0] in gates.WIRES else node)
    return stands


def below(logic: Logic, stands: Sequence[int], roots: Sequence[int]) -> list[int]:
    """Return the gates, ascending, that some of these nodes depend on, themselves among them."""
    seen: set[int] = set()
    stack = list(roots)
    while stack:
        node = stack.pop()
        if node >= logic.inputs and node not in seen:
            seen.add(node)
            stack += [stands[source] for source in reads(logic.gates[node - logic.inputs])]
    return sorted(seen)


def _gates(circuit: HardCircuit) -> list[int]:
    """Return the rows of gates that are not constants, the outputs' first."""
    rows = np.unique(circuit.netlist.param)[::-1]
    return [int(row) for row in rows if circuit.codes[row] not in CONSTANTS]


def _without(
    circuit: HardCircuit, rows: list[int], errors: Errors, no_worse: NoWorse
) -> tuple[np.ndarray, Errors] | None:
    """Return codes in which the gates of all these rows are wires, and their errors, if these are no more."""
    for place in PLACES:
        codes = circuit.codes.copy()
        codes[rows] = [_wires(code)[place % len(_wires(code))] for code in codes[rows].tolist()]
        if (found := no_worse(replace(circuit, codes=codes), errors)) is not None:
            return codes, found
    return None


def _simpler(circuit: HardCircuit, row: int, errors: Errors, no_worse: NoWorse) -> tuple[np.ndarray, Errors] | None:
    """Return codes in which the gate of a row is a wire or a constant, and their errors, if these are no more."""
    for code in (*_wires(int(circuit.codes[row])), *CONSTANTS):
        codes = circuit.codes.copy()
        codes[row] = code
        if (found := no_worse(replace(circuit, codes=codes), errors)) is not None:
            return codes, found
    return None


def _wires(code: int) -> tuple[int, ...]:
    """Return the wires from what a gate reads."""
    wires = {PLACES[0]: gates.PASS_A, PLACES[1]: gates.PASS_B}
    return tuple(wires[place] for place in reads((code, *PLACES)))
