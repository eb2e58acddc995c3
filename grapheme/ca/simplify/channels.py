"""Removal of channels that can never reach a visible one."""

from __future__ import annotations

from collections.abc import Sequence

from grapheme.ca.simplify import dead
from grapheme.ca.simplify.logic import Logic, reads


def reaching(logic: Logic, visible: Sequence[int]) -> list[int]:
    """Return the channels, in order, that some visible channel depends on at some later step."""
    channels = len(logic.outputs)
    needed, fresh = set(visible), set(visible)
    while fresh:
        fresh = {node % channels for node in _inputs_of(logic, fresh)} - needed
        needed |= fresh
    return sorted(needed)


def keep(logic: Logic, channels: Sequence[int]) -> Logic:
    """Return the circuit of channels that read no others, its inputs (9 * channels) numbered anew."""
    before, after = len(logic.outputs), len(channels)
    live = dead.remove(Logic(logic.inputs, logic.gates, [logic.outputs[channel] for channel in channels]))
    place = {p * before + c: p * after + i for p in range(9) for i, c in enumerate(channels)}
    place |= {live.inputs + g: 9 * after + g for g in range(len(live.gates))}
    gates = [(code, place.get(a, 0), place.get(b, 0)) for code, a, b in live.gates]
    return Logic(9 * after, gates, [place[node] for node in live.outputs])


def _inputs_of(logic: Logic, channels: set[int]) -> set[int]:
    """Return the inputs that the next values of ``channels`` depend on."""
    seen: set[int] = set()
    stack = [logic.outputs[channel] for channel in channels]
    while stack:
        node = stack.pop()
        if node not in seen:
            seen.add(node)
            stack += reads(logic.gates[node - logic.inputs]) if node >= logic.inputs else ()
    return {node for node in seen if node < logic.inputs}
