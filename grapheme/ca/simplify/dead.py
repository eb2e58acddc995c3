"""Removal of dead gates."""

from __future__ import annotations

from grapheme.ca.simplify.logic import Gate, Logic, reads


def remove(logic: Logic) -> Logic:
    """Keep the gates that some output depends on, in an order in which each is written soon before it is read.

    The gates that come in may be in any order without a cycle.
    """
    place = {node: node for node in range(logic.inputs)}
    kept: list[Gate] = []
    stack = list(reversed(logic.outputs))
    while stack:
        node = stack[-1]
        gate = logic.gates[node - logic.inputs] if node not in place else None
        waiting = [source for source in reads(gate) if source not in place] if gate else []
        if waiting:
            stack.extend(reversed(waiting))
            continue
        stack.pop()
        if gate:
            place[node] = logic.inputs + len(kept)
            kept.append((gate[0], place.get(gate[1], 0), place.get(gate[2], 0)))
    return Logic(logic.inputs, kept, [place[node] for node in logic.outputs])
