"""Simplification of hard circuits: passes over the gates, each checked to change nothing that a grid can show."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from grapheme.ca import checks
from grapheme.ca.layout import Layout
from grapheme.ca.simplify import channels, constants, dead, inverters, sharing, windows, wires
from grapheme.ca.simplify.equivalence import difference
from grapheme.ca.simplify.logic import Logic
from grapheme.ca.simplify.resubstitution import resubstitute, tidy

if TYPE_CHECKING:
    from grapheme.ca.hard import HardCircuit

Pass = Callable[[Logic], Logic]

CHEAP: tuple[Pass, ...] = (dead.remove, constants.fold, wires.bypass, inverters.push, sharing.share, dead.remove)
SEARCHING: tuple[Pass, ...] = (sharing.merge, tidy, resubstitute, windows.rewrite, tidy)


def simplify(circuit: HardCircuit, visible: Sequence[int] | None = None) -> HardCircuit:
    """Return the simplified circuit; see ``HardCircuit.simplify``."""
    from grapheme.ca.hard import HardCircuit

    layout = circuit.layout
    shown = layout.visible if visible is None else tuple(visible)
    checks.channels(shown, layout.full)
    Layout(layout.full, layout.kept, shown)
    logic = settled(Logic.of(circuit.netlist, circuit.codes), CHEAP)
    reaching = channels.reaching(logic, [layout.kept.index(channel) for channel in shown])
    logic = settled(channels.keep(logic, reaching), CHEAP + SEARCHING)
    kept = tuple(layout.kept[channel] for channel in reaching)
    return HardCircuit(*logic.netlist(), circuit.boundary, Layout(layout.full, kept, shown))


def settled(logic: Logic, passes: Sequence[Pass]) -> Logic:
    """Run passes again and again until a whole round leaves as many gates as before."""
    gates = len(logic.gates) + 1
    while len(logic.gates) < gates:
        gates = len(logic.gates)
        for change in passes:
            logic = checked(change, logic)
    return logic


def checked(change: Pass, logic: Logic) -> Logic:
    """Run a pass and compare what comes out with what went in."""
    changed = change(logic)
    if difference(logic, changed) is not None:
        raise AssertionError(f"The pass {change.__module__}.{change.__name__} changed what the circuit computes.")
    return changed
