"""Inverter pushing: a reader of NOT x reads x, with another operation."""

from __future__ import annotations

from grapheme.ca.simplify.logic import Gate, Logic
from grapheme.kernels import gates


def push(logic: Logic) -> Logic:
    """Move inverters into the gates that read them, and those at outputs into the gates that they invert."""
    return _into_sources(_into_readers(logic))


def _into_readers(logic: Logic) -> Logic:
    source = [(node, False) for node in range(logic.inputs)]
    pushed: list[Gate] = []
    for code, a, b in logic.gates:
        gate = _flip(code, source[a], source[b])
        inverted = {gates.NOT_A: gate[1], gates.NOT_B: gate[2]}.get(gate[0])
        source.append((logic.inputs + len(pushed), False) if inverted is None else (inverted, True))
        pushed.append(gate)
    return Logic(logic.inputs, pushed, logic.outputs)


def _into_sources(logic: Logic) -> Logic:
    """Invert the gates of which outputs want only the inverse; an input, or a gate wanted both ways, stays."""
    wanted = set(logic.outputs)
    turned = {}
    for node in sorted(wanted):
        code, a, _ = logic.gates[node - logic.inputs] if node >= logic.inputs else (gates.PASS_A, node, node)
        if code == gates.NOT_A and a >= logic.inputs and a not in wanted:
            turned[node] = a
    inverted = set(turned.values())
    moved = []
    for node, (code, a, b) in enumerate(logic.gates, start=logic.inputs):
        gate = _flip(code, (a, a in inverted), (b, b in inverted))
        moved.append((15 - gate[0], *gate[1:]) if node in inverted else gate)
    return Logic(logic.inputs, moved, [turned.get(node, node) for node in logic.outputs])


def _flip(code: int, a: tuple[int, bool], b: tuple[int, bool]) -> Gate:
    """Return the gate that reads nodes instead of (node, inverted)."""
    return gates.code_of(lambda x, y: gates.value(code, x ^ a[1], y ^ b[1])), a[0], b[0]
