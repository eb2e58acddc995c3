"""What a circuit is put to while it is trained: fresh starts, larger grids, a dead zone, squares that go dark.

The numbers that ``evaluate`` reports are of other starts and mostly of other sizes.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import numpy as np

from grapheme.arrays import Bits
from grapheme.backend import Backend
from grapheme.ca.batch import in_phase
from grapheme.ca.hard import HardCircuit
from grapheme.ca.prune import Errors
from grapheme.randomness import generator

if TYPE_CHECKING:
    from grapheme.experiments.automaton import AutomatonExperiment

FEW, MANY = 2, 8
"""Grids on which most changes of a gate show at once whether they do harm, where there are more than some."""

SAMPLES, SIDE = 2, 64
"""How many larger grids a circuit is tried on, and their side."""

ZONED = 32
"""The side of grids in which a zone is kept at 0."""

ZONE = 10
"""Cells along the side of the zone that is kept at 0."""

TOLERATED = 0.01
"""The share of cells outside a zone at 0 that may be wrong."""

SQUARE, PACE = 10, 4
"""The side of squares that go dark; so many steps are taken at once, and as many squares then go dark."""

WARMING, COUNTED = 60, 30
"""How often that is done before errors are counted, and how often they are."""


class Trial(Protocol):
    """One test of a circuit."""

    def errors(self, run: Run, most: int) -> int:
        """Return how many bits are wrong; it may stop counting where there are more than ``most``."""


Run = Callable[[Bits, int, "Bits | None"], Bits]
"""A circuit at work: (grids, steps, which cells fire) -> grids."""


@dataclass(frozen=True)
class Grids:
    """Start grids, the channels that people see, what these shall show after some steps, and which cells fire."""

    start: Bits
    seen: list[int]
    wanted: Bits
    steps: int
    fire: Bits | None
    either: bool = False
    """Whether the inverse of what is wanted is as good."""

    def wrong(self, bits: Bits, begin: int = 0) -> Bits:
        """Return where grids, those from ``begin`` on, differ from what they shall show."""
        shown, wanted = bits[:, self.seen], self.wanted[begin : begin + len(bits)]
        return np.asarray(shown != (in_phase(wanted, shown) if self.either else wanted))

    def firing(self, begin: int, end: int) -> Bits | None:
        """Return which cells fire from one step to another."""
        return None if self.fire is None else self.fire[begin:end]


@dataclass(frozen=True)
class Growth:
    """The pattern, from random starts."""

    grids: Grids

    def errors(self, run: Run, most: int) -> int:
        """Return how many bits are wrong in the end."""
        samples = len(self.grids.start)
        few = FEW if samples > MANY else 0
        first = self._wrong(run, 0, few) if few else 0
        return first if first > most else first + self._wrong(run, few, samples)

    def _wrong(self, run: Run, begin: int, end: int) -> int:
        """Return how many bits are wrong in some of the grids."""
        grids = self.grids
        fire = None if grids.fire is None else np.ascontiguousarray(grids.fire[:, begin:end])
        return int(np.count_nonzero(grids.wrong(run(grids.start[begin:end], grids.steps, fire), begin)))


@dataclass(frozen=True)
class DeadZone:
    """A zone that is kept at 0 from the start, and let go when all else has come to rest."""

    grids: Grids

    def errors(self, run: Run, most: int) -> int:
        """Return how many bits are wrong outside the zone, beyond those tolerated, and anywhere once it has healed."""
        grids, bits = self.grids, self.grids.start
        half = grids.steps // 2
        middle = slice((bits.shape[2] - ZONE) // 2, (bits.shape[2] + ZONE) // 2)
        for t in range(half):
            bits = run(bits, 1, grids.firing(t, t + 1))
            bits[:, :, middle, middle] = False
        wrong = grids.wrong(bits)
        wrong[:, :, middle, middle] = False
        outside = max(0, int(np.count_nonzero(wrong) - TOLERATED * wrong.size))
        if outside > most:
            return outside
        return outside + int(np.count_nonzero(grids.wrong(run(bits, half, grids.firing(half, 2 * half)))))


@dataclass(frozen=True)
class Attack:
    """Squares that go dark all the time, one for each step; ``corners (times, PACE, 2)`` says where."""

    grids: Grids
    corners: np.ndarray
    allowed: float
    """The share of cells that may be wrong, on average."""

    def errors(self, run: Run, most: int) -> int:
        """Return how many bits are wrong whenever they are counted, beyond those allowed."""
        grids, counted = self.grids, PACE * len(self.corners)
        rest = grids.steps - counted
        bits = run(grids.start, rest, grids.firing(0, rest))
        wrong = -int(self.allowed * COUNTED * grids.wanted.size)
        for time, corners in enumerate(self.corners.tolist()):
            now = rest + PACE * time
            bits = run(bits, PACE, grids.firing(now, now + PACE))
            for y, x in corners:
                bits[:, :, y : y + SQUARE, x : x + SQUARE] = False
            wrong += int(np.count_nonzero(grids.wrong(bits))) if time >= WARMING else 0
            if wrong > most:
                break
        return max(0, wrong)


@dataclass(frozen=True)
class Trials:
    """All tests of an experiment; the first one says whether it is solved."""

    fresh_starts: Growth
    others: tuple[Trial, ...]

    @classmethod
    def of(cls, task: AutomatonExperiment, draw: int = 0) -> Trials:
        """Return the tests of an experiment, drawn for the first time or again; fresh starts are always the same."""
        start = task.validation(task)
        others: list[Trial] = []
        if task.grows:
            others.append(DeadZone(_drawn(task, ZONED, 2 * task.steps_on(ZONED), 4, draw)))
            others.append(Growth(_drawn(task, SIDE, task.steps_on(SIDE), 2, draw)))
        if task.withstands is not None:
            others.append(_attack(task, task.withstands, draw))
        return cls(Growth(_grids(task, start, task.steps, 1)), tuple(others))

    @property
    def each(self) -> tuple[Trial, ...]:
        """All of them."""
        return self.fresh_starts, *self.others

    @property
    def first(self) -> Grids:
        """The grids of the first trial."""
        return self.fresh_starts.grids

    def fresh(self, circuit: HardCircuit, backend: Backend) -> int:
        """Return how many bits are wrong from fresh starts."""
        return self.fresh_starts.errors(_runner(circuit, backend), sys.maxsize)

    def errors(self, circuit: HardCircuit, backend: Backend) -> Errors:
        """Return how many bits are wrong in each trial."""
        run = _runner(circuit, backend)
        return tuple(trial.errors(run, sys.maxsize) for trial in self.each)

    def no_worse(self, circuit: HardCircuit, most: Errors, backend: Backend) -> Errors | None:
        """Return the errors of a circuit, or None as soon as there are more than ``most`` in any test."""
        run, found = _runner(circuit, backend), []
        for trial, limit in zip(self.each, most, strict=True):
            found.append(trial.errors(run, limit))
            if found[-1] > limit:
                return None
        return tuple(found)


@dataclass(frozen=True)
class Judge:
    """Trials that run on a backend."""

    trials: Trials
    backend: Backend

    def errors(self, circuit: HardCircuit) -> Errors:
        """Return how many bits are wrong in each trial."""
        return self.trials.errors(circuit, self.backend)

    def no_worse(self, circuit: HardCircuit, most: Errors) -> Errors | None:
        """Return the errors of a circuit, or None as soon as there are more than ``most`` in any trial."""
        return self.trials.no_worse(circuit, most, self.backend)


def _runner(circuit: HardCircuit, backend: Backend) -> Run:
    return lambda grids, steps, fire: circuit.run(grids, steps, fire, backend)


def weakness(errors: Errors) -> float:
    """Return how much is wrong in all tests but the first."""
    return float(sum(errors[1:]))


def _attack(task: AutomatonExperiment, allowed: float, draw: int) -> Attack:
    times = WARMING + COUNTED
    corners = generator(0, "validation", 8, draw).integers(0, SIDE - SQUARE + 1, (times, PACE, 2))
    return Attack(_drawn(task, SIDE, task.steps + PACE * times, 6, draw), corners, allowed)


def _drawn(task: AutomatonExperiment, side: int, steps: int, salt: int, draw: int) -> Grids:
    """Return larger grids with random starts, of which either phase will do."""
    start = task.start(generator(0, "validation", salt, draw), SAMPLES, task.channels, side, side)
    return _grids(task, start, steps, salt + 1, draw, either=True)


def _grids(task: AutomatonExperiment, start: Bits, steps: int, salt: int, draw: int = 0, either: bool = False) -> Grids:
    fire = task.mask(generator(0, "validation", salt, draw), steps, start)
    return Grids(start, list(task.loss_channels), task.target(start) > 0.5, steps, fire, either)
