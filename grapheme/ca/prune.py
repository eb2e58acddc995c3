"""Takes out of a learnt circuit what its task does not need: every gate is tried as a wire and as a constant.

Training ends as soon as all is right, and leaves many gates that do something now and then, or nothing at all. What is
right with fewer gates has fewer ways to go wrong where it was never tried, as on larger grids.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from grapheme import gates
from grapheme.ca.hard import HardCircuit
from grapheme.ca.simplify.channels import reaching
from grapheme.ca.simplify.logic import Logic, reads
from grapheme.ca.wiring import CENTRE
from grapheme.netlist import Netlist

CONSTANTS = (gates.FALSE, gates.TRUE)

PLACES = (0, 1)
"""Of the first and the second input of a gate."""

ROUND = 16
"""After so many gates have gone, others that now do nothing are looked for."""

Errors = tuple[int, ...]
"""How many bits are wrong in several tests, the most important first."""

Wrong = Callable[[HardCircuit, Errors], Errors]
"""Returns the errors of a circuit; it may stop counting where there are more than given."""


def pruned(circuit: HardCircuit, errors: Errors, wrong: Wrong) -> tuple[np.ndarray, Errors]:
    """Return operation codes (parameters,) from which no gate alone can be taken out without more errors, and errors.

    ``errors`` is how many the circuit makes now. Where gates do harm now and then, there are fewer in the end.
    """
    codes, before = circuit.codes, None
    while before is None or not np.array_equal(codes, before):
        before = codes
        codes, errors = _once(replace(circuit, codes=codes), errors, wrong)
    return codes, errors


def _once(circuit: HardCircuit, errors: Errors, wrong: Wrong) -> tuple[np.ndarray, Errors]:
    """Try every gate once, from the outputs down; what does nothing any more is left out as soon as possible."""
    needed: set[int] = set()
    while True:
        small, gone = live(circuit), 0
        rows = [row for row in np.unique(small.netlist.param)[::-1].tolist() if row not in needed]
        if not rows:
            return circuit.codes, errors
        for row in rows:
            if gone == ROUND:
                break
            found = _simpler(replace(small, codes=circuit.codes), row, errors, wrong)
            if found is None:
                needed.add(row)
            else:
                circuit, errors, gone = replace(circuit, codes=found[0]), found[1], gone + 1


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
    kept = _below(logic, stands, list(outputs.values()))
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


def _below(logic: Logic, stands: list[int], roots: list[int]) -> list[int]:
    """Return the gates, ascending, that some of these nodes depend on, themselves among them."""
    seen: set[int] = set()
    stack = list(roots)
    while stack:
        node = stack.pop()
        if node >= logic.inputs and node not in seen:
            seen.add(node)
            stack += [stands[source] for source in reads(logic.gates[node - logic.inputs])]
    return sorted(seen)


def _simpler(circuit: HardCircuit, row: int, errors: Errors, wrong: Wrong) -> tuple[np.ndarray, Errors] | None:
    """Return codes in which the gate of a row is a wire or a constant, and their errors, if these are no more."""
    own = int(circuit.codes[row])
    wires = {PLACES[0]: gates.PASS_A, PLACES[1]: gates.PASS_B}
    for code in (*(wires[place] for place in reads((own, *PLACES))), *CONSTANTS):
        codes = circuit.codes.copy()
        codes[row] = code
        if own not in CONSTANTS and (found := wrong(replace(circuit, codes=codes), errors)) <= errors:
            return codes, found
    return None
