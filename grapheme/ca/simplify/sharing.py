"""Sharing of equal gates, or of gates that are each other's inverse: first by form, then by what they compute."""

from __future__ import annotations

import numpy as np

from grapheme.ca.simplify.logic import Gate, Logic, truth_table
from grapheme.kernels import gates

MOST_INPUTS = 14
"""Gates are compared by what they compute while the circuit reads no more inputs than this."""


def share(logic: Logic) -> Logic:
    """Make a gate of the same form as an earlier one a wire from it, or an inverter."""
    first: dict[Gate, int] = {}
    same = list(range(logic.inputs))
    shared: list[Gate] = []
    for node, gate in enumerate(logic.gates, start=logic.inputs):
        form = _ordered(gate[0], same[gate[1]], same[gate[2]])
        inverse = (15 - form[0], *form[1:])
        same.append(first.get(form, node))
        if form in first:
            shared.append((gates.PASS_A, first[form], first[form]))
        elif inverse in first:
            shared.append((gates.NOT_A, first[inverse], first[inverse]))
        else:
            first[form] = node
            shared.append(form)
    return Logic(logic.inputs, shared, logic.outputs)


def merge(logic: Logic) -> Logic:
    """Make a gate that computes the same as an earlier node a wire from it, or an inverter, or a constant."""
    support = logic.support()
    if len(support) > MOST_INPUTS:
        return logic
    inputs = np.zeros((logic.inputs, truth_table(len(support)).shape[1]), np.uint64)
    inputs[support] = truth_table(len(support))
    nodes = logic.evaluate(inputs)
    first = {nodes[node].tobytes(): node for node in reversed(support)}
    merged: list[Gate] = []
    for node, gate in enumerate(logic.gates, start=logic.inputs):
        table, inverse = nodes[node].tobytes(), (~nodes[node]).tobytes()
        if not nodes[node].any() or not (~nodes[node]).any():
            gate = (gates.TRUE if nodes[node].any() else gates.FALSE, 0, 0)
        elif table in first:
            gate = (gates.PASS_A, first[table], first[table])
        elif inverse in first:
            gate = (gates.NOT_A, first[inverse], first[inverse])
        else:
            first[table] = node
        merged.append(gate)
    return Logic(logic.inputs, merged, logic.outputs)


def _ordered(code: int, a: int, b: int) -> Gate:
    """Return the gate with its smaller node first."""
    return (code, a, b) if a <= b else (gates.code_of(lambda x, y: gates.value(code, y, x)), b, a)
