"""Windows: small parts of a circuit that is too wide for whole truth tables, each rewritten by itself."""

from __future__ import annotations

from grapheme.ca.simplify import dead
from grapheme.ca.simplify.logic import Gate, Logic, reads
from grapheme.ca.simplify.resubstitution import MOST_GATES, fits, resubstitute

MOST_LEAVES = 8
PATIENCE = 2


def rewrite(logic: Logic) -> Logic:
    """Return logic with every window around a gate written with as few gates as a short search finds."""
    if fits(logic):
        return logic  # the whole has been searched already
    tried: set[int] = set()
    gate = len(logic.gates) - 1
    while gate >= 0:
        node = logic.inputs + gate
        leaves = [] if node in tried else _cut(logic, node)
        if leaves:  # what depends on none is constant, and folding finds that
            inside = _inside(logic, leaves)
            tried |= set(inside)
            smaller = _without(logic, leaves, inside)
            if len(smaller.gates) < len(logic.gates):
                gate, logic, tried = min(gate, len(smaller.gates)), smaller, set()
        gate -= 1
    return logic


def _cut(logic: Logic, node: int) -> list[int]:
    """Return at most ``MOST_LEAVES`` nodes that decide ``node``, as far below it as they can be."""
    leaves = set(reads(logic.gates[node - logic.inputs]))
    while True:
        grown = [
            (len(wider), leaf, wider)
            for leaf in leaves
            if leaf >= logic.inputs
            for wider in [(leaves - {leaf}) | set(reads(logic.gates[leaf - logic.inputs]))]
        ]
        if not grown or min(grown)[0] > MOST_LEAVES:
            return sorted(leaves)
        leaves = min(grown, key=lambda item: item[:2])[2]


def _inside(logic: Logic, leaves: list[int]) -> list[int]:
    """Return the gates, in order, that depend on nothing but ``leaves``."""
    known = set(leaves)
    inside: list[int] = []
    for node in range(min(leaves, default=0), logic.inputs + len(logic.gates)):
        if node >= logic.inputs and node not in known and known.issuperset(reads(logic.gates[node - logic.inputs])):
            known.add(node)
            inside.append(node)
            if len(inside) == MOST_GATES:
                break
    return inside


def _without(logic: Logic, leaves: list[int], inside: list[int]) -> Logic:
    """Return logic with the gates ``inside`` written anew."""
    place = {node: index for index, node in enumerate([*leaves, *inside])}
    part: list[Gate] = []
    for node in inside:
        code, a, b = logic.gates[node - logic.inputs]
        part.append((code, place.get(a, 0), place.get(b, 0)))
    roots = _read_outside(logic, set(inside))
    new = resubstitute(Logic(len(leaves), part, [place[node] for node in roots]), patience=PATIENCE)
    return dead.remove(_joined(logic, leaves, new, dict(zip(roots, new.outputs, strict=True))))


def _read_outside(logic: Logic, inside: set[int]) -> list[int]:
    readers = [gate for node, gate in enumerate(logic.gates, start=logic.inputs) if node not in inside]
    outside = {source for gate in readers for source in reads(gate)} | set(logic.outputs)
    return sorted(inside & outside)


def _joined(logic: Logic, leaves: list[int], new: Logic, roots: dict[int, int]) -> Logic:
    """Append the gates of ``new`` to those of ``logic`` and let readers of a root read what stands for it."""
    first = logic.inputs + len(logic.gates)

    def outer(node: int) -> int:
        return leaves[node] if node < new.inputs else first + node - new.inputs

    moved = {node: outer(inner) for node, inner in roots.items()}
    gates = [(code, moved.get(a, a), moved.get(b, b)) for code, a, b in logic.gates]
    gates += [(code, outer(a), outer(b)) for code, a, b in new.gates]
    return Logic(logic.inputs, gates, [moved.get(node, node) for node in logic.outputs])
