"""Constant folding: what a known value leaves of a gate."""

from __future__ import annotations

from grapheme.ca.simplify.logic import Gate, Logic
from grapheme.kernels import gates


def fold(logic: Logic) -> Logic:
    """Put known values, and equal inputs, into the operations; a gate of one input then reads only that."""
    known: dict[int, bool] = {}
    folded: list[Gate] = []
    for code, a, b in logic.gates:
        gate = _restrict(code, a, b, known)
        if gate[0] in (gates.FALSE, gates.TRUE):
            known[logic.inputs + len(folded)] = gate[0] == gates.TRUE
        folded.append(gate)
    return Logic(logic.inputs, folded, logic.outputs)


def _restrict(code: int, a: int, b: int, known: dict[int, bool]) -> Gate:
    if a in known:
        code = gates.code_of(lambda _, y, c=code: gates.value(c, known[a], y))  # type: ignore[misc]
    if b in known:
        code = gates.code_of(lambda x, _, c=code: gates.value(c, x, known[b]))  # type: ignore[misc]
    if a == b:
        code = gates.code_of(lambda x, _, c=code: gates.value(c, x, x))  # type: ignore[misc]
    if code in (gates.PASS_B, gates.NOT_B):
        return (gates.PASS_A if code == gates.PASS_B else gates.NOT_A), b, b
    if code in (gates.PASS_A, gates.NOT_A):
        return code, a, a
    return (code, 0, 0) if code in (gates.FALSE, gates.TRUE) else (code, a, b)
