"""Mends a circuit that is nearly right: one gate after another gets another operation and other wires.

Which value a gate should have had, in the last step, follows from the picture: going down from a visible channel, a
gate matters in those cells in which the gates above pass a change of it on. Of all pairs of signals that it could
read instead, those that agree with what it should be in more cells than now are tried, and where there are none, one
that agrees in as many. Such changes make nothing worse, and open ways for others. Training can do nothing of the kind,
since it cannot move wires.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from grapheme.arrays import Bits
from grapheme.backend import Backend
from grapheme.ca.hard import HardCircuit
from grapheme.ca.model import DiffLogicCA
from grapheme.ca.rewiring import as_model, layers, levels, with_gate
from grapheme.ca.signals import Signals
from grapheme.ca.simplify.logic import reads
from grapheme.kernels import gates
from grapheme.rng import generator

TRIED = 8
"""So many of the changes that might mend something at one gate are tried."""

LAPSES = 0.1
"""How often one more wrong bit than in the best circuit is put up with, as a way out of where nothing mends it."""

OUTCOMES = np.array(
    [[[gates.value(code, a, b) for b in (False, True)] for a in (False, True)] for code in range(len(gates.NAMES))]
)
"""(operations, 2, 2): what an operation makes of bits a and b."""


@dataclass(frozen=True, kw_only=True)
class Repair:
    """When a circuit that is being trained is mended, and how long."""

    every: int
    """Epochs between two repairs; training goes on from what it was before."""
    most: float
    """The share of bits that may be wrong for a repair to be worth its time."""
    tries: int
    """Gates that are looked at."""


@dataclass(frozen=True)
class Goal:
    """``wanted (batch, visible, height, width)``: what is to be seen after ``steps`` steps from ``start``."""

    start: Bits
    wanted: Bits
    steps: int

    def seen(self, circuit: HardCircuit, backend: Backend) -> tuple[Bits, int]:
        """Return the grids before the last step, and how many bits of the visible channels are wrong after it."""
        before = self.start if self.steps == 1 else circuit.run(self.start, self.steps - 1, None, backend)
        shown = circuit.run(before, 1, None, backend)[:, list(circuit.layout.visible)]
        return before, int(np.count_nonzero(shown != self.wanted))


def repaired(model: DiffLogicCA, goal: Goal, tries: int, backend: Backend) -> tuple[DiffLogicCA, int]:
    """Return a model with other gates and wires, and how many bits it gets wrong: no more than ``model``.

    It ends when nothing is wrong, or after so many gates. The same model is always changed in the same way.
    """
    search = _Search(model, goal, backend)
    rng = generator(0, "repair")
    for _ in range(tries):
        if search.fewest == 0:
            break
        search.change(rng)
    return as_model(search.best, model), search.fewest


@dataclass(frozen=True)
class _Place:
    """A gate, and what its value should be (cells,) in those cells where it ``matters``."""

    gate: int
    matters: Bits
    wanted: Bits


@dataclass
class _Search:
    """The circuit to be changed next, what its nodes show in the last step, and the best circuit so far."""

    model: DiffLogicCA
    goal: Goal
    backend: Backend
    circuit: HardCircuit = field(init=False)
    wrong: int = field(init=False)
    best: HardCircuit = field(init=False)
    fewest: int = field(init=False)

    def __post_init__(self) -> None:
        circuit = self.model.harden()
        self.levels = levels(self.model)
        self.layers = layers(self.model)
        before, self.fewest = self.goal.seen(circuit, self.backend)
        self._take(circuit, before, self.fewest)

    def change(self, rng: np.random.Generator) -> None:
        """Change one gate, if that makes nothing worse, or now and then hardly."""
        place = self._walk(rng)
        for circuit in self._changes(place, rng):
            before, wrong = self.goal.seen(circuit, self.backend)
            if wrong <= max(self.wrong, self.fewest + (rng.random() < LAPSES)):
                self._take(circuit, before, wrong)
                return

    def _take(self, circuit: HardCircuit, before: Bits, wrong: int) -> None:
        self.circuit, self.wrong = circuit, wrong
        if wrong <= self.fewest:
            self.best, self.fewest = circuit, wrong
        self.signals = Signals.of(circuit, before, self.levels)

    def _walk(self, rng: np.random.Generator) -> _Place:
        """Go down from a visible channel to a layer chosen at random, or as far as anything matters."""
        netlist, visible = self.circuit.netlist, self.circuit.layout.visible
        channel = int(rng.integers(len(visible)))
        wanted = self.goal.wanted[:, channel].reshape(-1)
        place = _Place(int(netlist.outputs[visible[channel]]) - netlist.inputs, np.ones_like(wanted), wanted)
        for _ in range(int(rng.integers(len(self.layers) - 1))):
            lower = self._below(place, rng)
            if lower is None:
                break
            place = lower
        return place

    def _below(self, place: _Place, rng: np.random.Generator) -> _Place | None:
        """Return a gate that a gate reads, by either wire; None if nothing that it could do would matter."""
        netlist, signals = self.circuit.netlist, self.signals
        code = int(self.circuit.codes[netlist.param[place.gate]])
        a, b = int(netlist.a[place.gate]), int(netlist.b[place.gate])
        wires = reads((code, a, b))
        if not wires:
            return None
        lower = wires[int(rng.integers(len(wires)))]
        if_0, if_1 = OUTCOMES[code][:, signals[b]] if lower == a else OUTCOMES[code][signals[a]].T
        matters = place.matters & (if_0 != if_1)
        if not matters.any():
            return None
        return _Place(lower - netlist.inputs, matters, np.where(if_1, place.wanted, ~place.wanted))

    def _changes(self, place: _Place, rng: np.random.Generator) -> Iterator[HardCircuit]:
        """Yield circuits in which the gate agrees better with what it should be; else one in which as well as now."""
        netlist, (cells,) = self.circuit.netlist, np.nonzero(place.matters)
        layer = next(i for i, nodes in enumerate(self.layers[1:]) if place.gate + netlist.inputs <= nodes[-1])
        readable, wanted = self.layers[layer], place.wanted[cells]
        signals = self.signals[readable][:, cells]
        now = int(np.count_nonzero(self.signals[place.gate + netlist.inputs][cells] != wanted))
        differ = differing(signals, wanted)
        better = np.argwhere(differ < now)
        if len(better):
            order = np.argsort(differ[tuple(better.T)] + rng.random(len(better)) / 2)
            pairs = better[order[:TRIED]]
        else:
            equal = np.argwhere(differ == now)
            pairs = equal[rng.integers(len(equal), size=1)]
        for a, b in pairs.tolist():
            code = nearest(signals[a], signals[b], wanted, rng)
            yield with_gate(self.circuit, place.gate, int(readable[a]), int(readable[b]), code)


def differing(signals: np.ndarray, wanted: Bits) -> np.ndarray:
    """Return in how many cells the best gate of each two signals differs from what is wanted: (signals, signals).

    ``signals (signals, cells)`` are bits. The counts are sums of whole numbers below 2**24, so they are exact.
    """
    least: np.ndarray | float = 0.0
    counts = [_counts(signals[:, cells].astype(np.float32)) for cells in (wanted, ~wanted)]
    for ones, zeros in zip(*counts, strict=True):
        least = least + np.minimum(ones, zeros)
    return np.asarray(least)


def _counts(signals: np.ndarray) -> tuple[np.ndarray, ...]:
    """Return for each two signals how many cells have 11, 10, 01 and 00: (signals, signals) each."""
    both = signals @ signals.T
    first = both.diagonal()[:, None]
    second = first.T
    return both, first - both, second - both, signals.shape[1] - first - second + both


def nearest(a: np.ndarray, b: np.ndarray, wanted: Bits, rng: np.random.Generator) -> int:
    """Return the operation that is right in the most cells; what is as good either way is drawn."""

    def outcome(of_a: bool, of_b: bool) -> bool:
        cells = wanted[(a == of_a) & (b == of_b)]
        ones = np.count_nonzero(cells)
        return bool(2 * ones > len(cells) or (2 * ones == len(cells) and rng.random() < 0.5))

    return gates.code_of(outcome)
