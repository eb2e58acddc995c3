"""Proof that an automaton reaches its target from every start, or a start from which it does not."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from grapheme.arrays import Bits
from grapheme.backend import Backend
from grapheme.backend.selection import resolve
from grapheme.ca.hard import HardCircuit
from grapheme.ca.simplify.clauses import Clauses
from grapheme.ca.simplify.equivalence import solver_installed
from grapheme.ca.simplify.logic import Logic
from grapheme.ca.three_valued import bounds
from grapheme.errors import InvalidInputError
from grapheme.rng import generator
from grapheme.rules import BOARDS

RANDOM_STARTS = 64
CONFLICTS = 200_000
MOST_CLAUSES = 20_000_000


@dataclass(frozen=True)
class Verdict:
    """What was found out."""

    proved: bool | None
    """None if neither a proof nor a counter-example was found."""
    how: str
    unknown: int
    """Visible bits of which the three-valued simulation does not know the value after the last step."""
    counter_example: Bits | None = None
    """A full grid (channel, height, width) from which the target is missed."""


def prove(circuit: HardCircuit, target: Bits, steps: int, backend: Backend | str | None = None) -> Verdict:
    """Decide whether ``target (visible channels, height, width)`` stands after ``steps`` steps from every start."""
    small, chosen = circuit.simplify(), resolve(backend)
    visible = [small.layout.kept.index(channel) for channel in small.layout.visible]
    missed = _random_miss(small, target, visible, steps, chosen)
    lower, upper = bounds(small, target.shape[1:], steps, chosen)
    known = lower[visible] == upper[visible]
    unknown = int(np.count_nonzero(~known))
    if missed is None and not unknown and np.array_equal(lower[visible], target):
        return Verdict(True, "three-valued simulation", 0)
    if missed is not None:
        return Verdict(False, "a random start", unknown, small.layout.widen(missed[None])[0])
    return _solve(small, target, visible, steps, unknown)


def _random_miss(circuit: HardCircuit, target: Bits, visible: list[int], steps: int, backend: Backend) -> Bits | None:
    """Return a start (kept channel, height, width), of some random ones, from which the target is missed."""
    shape = (RANDOM_STARTS, circuit.channels, *target.shape[1:])
    start = generator(0, "display", 1).random(shape) < 0.5
    wrong = (circuit.run(start, steps, backend=backend)[:, visible] != target).any(axis=(1, 2, 3))
    return start[int(np.argmax(wrong))] if wrong.any() else None


def _solve(circuit: HardCircuit, target: Bits, visible: list[int], steps: int, unknown: int) -> Verdict:
    """Ask a SAT solver for a start from which some visible bit ends up wrong."""
    work = 4 * circuit.netlist.gates * steps * target[0].size
    if not solver_installed() or work > MOST_CLAUSES:
        return Verdict(None, "three-valued simulation", unknown)
    clauses = Clauses()
    start, state = _unrolled(clauses, circuit, target.shape[1:], steps)
    ends = [state[c][y][x] for c, y, x in np.ndindex(len(visible), *target.shape[1:]) for c in [visible[c]]]
    clauses.at_least_one([-end if wanted else end for end, wanted in zip(ends, target.ravel(), strict=True)])
    model = clauses.solve(CONFLICTS)
    if model is None:
        return Verdict(True if clauses.decided else None, "a SAT solver", unknown)
    missed = np.array([[[model[v] for v in row] for row in channel] for channel in start])
    return Verdict(False, "a SAT solver", unknown, circuit.layout.widen(missed[None])[0])


Literals = list[list[list[int]]]


def _unrolled(clauses: Clauses, circuit: HardCircuit, shape: Sequence[int], steps: int) -> tuple[Literals, Literals]:
    """Add all steps of all cells; return the literals [channel][row][column] at the start and at the end."""
    height, width = shape
    logic, zero = Logic.of(circuit.netlist, circuit.codes), -clauses.true
    start = [[[clauses.variable() for _ in range(width)] for _ in range(height)] for _ in range(circuit.channels)]

    def near(state: Literals, y: int, x: int, node: int) -> int:
        place, channel = divmod(node, circuit.channels)
        v, u = y + place // 3 - 1, x + place % 3 - 1
        inside = 0 <= v < height and 0 <= u < width
        return state[channel][v % height][u % width] if inside or circuit.boundary == "periodic" else zero

    state = start
    for _ in range(steps):
        cells = [
            [clauses.add(logic, [near(state, y, x, n) for n in range(logic.inputs)]) for x in range(width)]
            for y in range(height)
        ]
        state = [[[cell[channel] for cell in row] for row in cells] for channel in range(circuit.channels)]
    return start, state


def prove_rule(circuit: HardCircuit, rule: Callable[[Bits], np.ndarray], backend: Backend | str | None) -> Verdict:
    """Decide whether one step is that of a rule on (batch, 1, height, width), by all boards of 3x3 cells on a torus.

    Such a board shows its middle cell every neighbourhood there is, so what holds for it holds for every grid.
    """
    if circuit.layout.full != 1:
        raise InvalidInputError(f"A rule is proved for circuits of one channel; this one has {circuit.layout.full}.")
    torus = HardCircuit(circuit.netlist, circuit.codes, "periodic", circuit.keeps)
    wrong = (torus.run(BOARDS, 1, backend=backend) != (rule(BOARDS) > 0.5)).any(axis=(1, 2, 3))
    if wrong.any():
        return Verdict(False, "all 512 neighbourhoods", 0, BOARDS[int(np.argmax(wrong))])
    return Verdict(True, "all 512 neighbourhoods", 0)
