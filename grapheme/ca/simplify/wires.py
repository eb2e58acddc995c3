"""Pass-through removal: whoever reads a wire reads what the wire comes from."""

from __future__ import annotations

from grapheme.ca.simplify.logic import Gate, Logic
from grapheme.kernels import gates


def bypass(logic: Logic) -> Logic:
    """Let readers and outputs skip gates that pass one input through."""
    source = list(range(logic.inputs))
    moved: list[Gate] = []
    for code, a, b in logic.gates:
        gate = (code, source[a], source[b])
        passed = {gates.PASS_A: gate[1], gates.PASS_B: gate[2]}.get(code)
        source.append(logic.inputs + len(moved) if passed is None else passed)
        moved.append(gate)
    return Logic(logic.inputs, moved, [source[node] for node in logic.outputs])
