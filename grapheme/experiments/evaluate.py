"""How well a hard circuit does where it was never trained: on larger grids, damaged, with other timing, for long.

Sizes, steps and zones of the tests are those of the published work for the checkerboard, and follow the steps and the
size of a circuit's own experiment for others.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from grapheme.arrays import Bits
from grapheme.backend import Backend
from grapheme.ca.hard import HardCircuit
from grapheme.ca.task import AutomatonTask
from grapheme.models.evaluation import Evaluation
from grapheme.rng import generator

SIDES = (64, 128, 256)
"""Larger grids, next to the experiment's own."""

DAMAGED_SIDE, ZONE = 64, slice(22, 42)
FIRE_PROBABILITY = 0.6
ASYNC_STEPS = 256
ROBUST_STEPS, ROBUST_FROM, ROBUST_SQUARE = 4000, 1000, 10
LONGEST_PERIOD = 256
SAMPLES = 4
RULE_STEPS = 100
"""A rule is followed for so many steps where a pattern would have grown."""


@dataclass(frozen=True)
class Measure:
    """The outcome of one test."""

    test: str
    side: int
    steps: int
    score: float | None
    """The share of cells that are right; of a checkerboard the better one of its two phases."""
    wrong: float | None
    """Wrong cells of a grid, on average."""
    note: str
    picture: Bits
    """The visible bits (height, width) of one grid at the end."""
    mistakes: Bits
    """Where that picture is wrong."""


def evaluate(circuit: HardCircuit, task: AutomatonTask, backend: Backend, seed: int) -> Evaluation:
    """Return how a circuit, simplified, does in all tests."""
    small = circuit.simplify(circuit.layout.visible)
    measures = list(CircuitTests(small, task, backend, seed).measures())
    facts = {"experiment": task.name, "gates": small.netlist.gates}
    return Evaluation(facts, tuple(map(_row, measures)), partial(_draw, measures, task, small))


def _row(measure: Measure) -> dict[str, Any]:
    return {name: getattr(measure, name) for name in ("test", "side", "steps", "score", "wrong", "note")}


def _draw(measures: list[Measure], task: AutomatonTask, circuit: HardCircuit, path: Path) -> None:
    from grapheme.experiments.evaluation_picture import save

    save(path, measures, f"{task.name}, {circuit.netlist.gates} gates")


@dataclass(frozen=True)
class CircuitTests:
    """Runs the tests of one circuit."""

    circuit: HardCircuit
    experiment: AutomatonTask
    backend: Backend
    seed: int = 0

    def measures(self) -> Iterator[Measure]:
        """Yield the outcome of one test after another."""
        yield from self.generalisation()
        if self.random_start and not self.follows_rule:
            yield self.fault_tolerance()
            yield self.self_healing()
            yield self.other_timing()
            yield self.robustness()
        yield from self.stability()
        yield self.period()

    @functools.cached_property
    def follows_rule(self) -> bool:
        """Whether the target depends on the start, as that of a rule does; else it is a pattern.

        The validation grids tell: two random ones may agree in what becomes of them, as those of a vote often do.
        """
        targets = self.experiment.target(self.experiment.validation(self.experiment))
        return bool((targets != targets[:1]).any())

    @property
    def random_start(self) -> bool:
        """Whether the experiment starts from random bits; then the pattern's phase is free."""
        own = self.experiment.height
        return not np.array_equal(self._start(own), self._start(own, seed=self.seed + 1))

    def in_phase(self, start: Bits, steps: int) -> Bits:
        """Return the target (loss channels, height, width) of one start in the phase that the circuit shows it in."""
        wanted = self._target(start, steps)[0]
        seen = self._visible(self.circuit.run(start, steps, backend=self.backend))[0]
        swapped = self.random_start and np.count_nonzero(seen != wanted) > wanted.size / 2
        return np.asarray(~wanted if swapped else wanted)

    def generalisation(self) -> Iterator[Measure]:
        """Run the experiment on its own grid and on larger ones, for as many steps more as they are larger."""
        own = self.experiment.height
        larger = SIDES if self.random_start else (2 * own,)
        sides = (own, *(side for side in larger if self._has_target(side)))
        for side in sides:
            steps = RULE_STEPS if self.follows_rule else self._steps(side)
            start = self._start(side)
            yield self._measure("generalisation", start, self._run(start, steps), steps)

    def fault_tolerance(self) -> Measure:
        """Keep a zone at 0 after every step, and look at all cells outside it."""
        steps = self._steps(DAMAGED_SIDE)
        start = self._start(DAMAGED_SIDE)
        final = self._damaged(start, steps, lambda t: (ZONE, ZONE))
        outside = np.ones((DAMAGED_SIDE, DAMAGED_SIDE), np.bool_)
        outside[ZONE, ZONE] = False
        return self._measure("fault tolerance", start, final, steps, "zone of 20x20 kept at 0; outside it", outside)

    def self_healing(self) -> Measure:
        """Release the zone half way."""
        steps = self._steps(DAMAGED_SIDE)
        start = self._start(DAMAGED_SIDE)
        final = self._damaged(start, steps, lambda t: (ZONE, ZONE) if t < steps // 2 else None)
        return self._measure("self-healing", start, final, steps, f"zone of 20x20 kept at 0 for {steps // 2} steps")

    def other_timing(self) -> Measure:
        """Let cells fire at random though they may have learnt to step together."""
        start = self._start(DAMAGED_SIDE)
        fire = self._random().random((ASYNC_STEPS, len(start), DAMAGED_SIDE, DAMAGED_SIDE)) < FIRE_PROBABILITY
        final = self.circuit.run(start, ASYNC_STEPS, fire, self.backend)
        return self._measure(
            "asynchronous", start, final, ASYNC_STEPS, f"cells fire with probability {FIRE_PROBABILITY}"
        )

    def robustness(self) -> Measure:
        """Zero a square at a random place in every asynchronous step, and average the errors over the later steps."""
        rng, side = self._random(), DAMAGED_SIDE
        bits = start = self._start(side)[:1]
        wanted = self._target(start, 0)
        errors = []
        for t in range(ROBUST_STEPS):
            bits = self.circuit.run(bits, 1, rng.random((1, 1, side, side)) < FIRE_PROBABILITY, self.backend)
            y, x = rng.integers(0, side - ROBUST_SQUARE + 1, 2)
            bits[:, :, y : y + ROBUST_SQUARE, x : x + ROBUST_SQUARE] = False
            if t >= ROBUST_FROM:
                errors.append(np.count_nonzero(self._visible(bits) != wanted))
        mean = float(np.mean(errors))
        mean = min(mean, wanted.size - mean)
        seen = self._measure("robustness", start, bits, ROBUST_STEPS)
        note = f"mean over steps {ROBUST_FROM} to {ROBUST_STEPS}, a 10x10 square zeroed in each"
        return Measure(
            "robustness", side, ROBUST_STEPS, 1 - mean / wanted.size, mean, note, seen.picture, seen.mistakes
        )

    def stability(self) -> Iterator[Measure]:
        """Run on for once, twice and ten times the steps."""
        side = DAMAGED_SIDE if self.follows_rule else self.experiment.height
        start = self._start(side)
        bits, done = start, 0
        for times in (1, 2, 10):
            steps = times * (RULE_STEPS if self.follows_rule else self.experiment.steps)
            bits = self._run(bits, steps - done, salt=times)
            done = steps
            yield self._measure("stability", start, bits, steps, f"{times} x the steps")

    def period(self) -> Measure:
        """Find after how many steps, all cells stepping together, a late state comes back."""
        side = max(16, self.experiment.height) if self.follows_rule else self.experiment.height
        start = self._start(side)[:1]
        steps = 10 * max(RULE_STEPS, self.experiment.steps)
        first = bits = self.circuit.run(start, steps, backend=self.backend)
        note = f"no period up to {LONGEST_PERIOD}"
        for period in range(1, LONGEST_PERIOD + 1):
            bits = self.circuit.run(bits, 1, backend=self.backend)
            if np.array_equal(bits, first):
                note = f"period {period}"
                break
        picture = self._visible(first)[0, 0]
        return Measure("attractor", side, steps, None, None, note, picture, np.zeros_like(picture))

    def _random(self) -> np.random.Generator:
        return generator(self.seed, "display", 2)

    def _start(self, side: int, seed: int | None = None) -> Bits:
        """Return start grids (samples, channel, side, side); those of Life are random boards of any size."""
        task, seed = self.experiment, self.seed if seed is None else seed
        own = task.start(generator(seed, "display", 3), SAMPLES, task.channels, side, side)
        if own.shape[2:] == (side, side):
            return own
        return generator(seed, "display", 3).random((SAMPLES, task.channels, side, side)) < 0.5

    def _has_target(self, side: int) -> bool:
        """Say whether the target is defined on a grid of that size; a picture may be drawn on one size only."""
        return bool(self.experiment.target(self._start(side)).shape[2:] == (side, side))

    def _steps(self, side: int) -> int:
        """Return how long a pattern takes on a grid, the experiment's own taking its own steps."""
        task = self.experiment
        return -(-task.steps * side // task.height) if self.random_start else task.steps

    def _run(self, start: Bits, steps: int, salt: int = 0) -> Bits:
        """Run with the timing that the circuit was trained for."""
        rng = generator(self.seed, "display", 4, salt)
        return self.circuit.run(start, steps, self.experiment.mask(rng, steps, start), self.backend)

    def _damaged(self, bits: Bits, steps: int, zone: Callable[[int], tuple[slice, slice] | None]) -> Bits:
        """Run, and zero a zone in all channels after every step."""
        rng = generator(self.seed, "display", 5)
        for t in range(steps):
            bits = self.circuit.run(bits, 1, self.experiment.mask(rng, 1, bits), self.backend)
            where = zone(t)
            if where is not None:
                bits[:, :, where[0], where[1]] = False
        return bits

    def _visible(self, bits: Bits) -> Bits:
        return bits[:, list(self.experiment.loss_channels)]

    def _target(self, start: Bits, steps: int) -> Bits:
        """Return the visible bits to reach; a rule is applied step by step."""
        if not self.follows_rule:
            return self.experiment.target(start) > 0.5
        wanted = start
        for _ in range(steps // self.experiment.steps):
            wanted = self.experiment.target(wanted) > 0.5
        return wanted

    def _measure(
        self, test: str, start: Bits, final: Bits, steps: int, note: str = "", where: Bits | None = None
    ) -> Measure:
        """Score the visible bits of ``final``, in the cells ``where`` (height, width) only."""
        seen, wanted = self._visible(final), self._target(start, steps)
        mistakes = (seen != wanted) & (True if where is None else where)
        cells = int(seen[0].size if where is None else where.sum() * seen.shape[1])
        each = mistakes.sum(axis=(1, 2, 3))
        if self.random_start and not self.follows_rule:  # the other phase of a checkerboard is as good
            swapped = each > cells / 2
            each = np.where(swapped, cells - each, each)
            if swapped[0]:
                mistakes = ~mistakes & (True if where is None else where)
        wrong = float(each.mean())
        side = start.shape[2]
        return Measure(test, side, steps, 1 - wrong / cells, wrong, note, seen[0, 0], mistakes[0].any(axis=0))
