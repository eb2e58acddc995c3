"""What a circuit is put to while it is trained: fresh starts, larger grids, a dead zone, squares that go dark.

Sizes, zone and squares are those that ``evaluate`` reports of; starts, timing and places of damage are others.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from grapheme.arrays import Bits
from grapheme.ca.contest import Heat
from grapheme.ca.task import AutomatonTask
from grapheme.kernels.trial import Trial
from grapheme.rng import generator

SIDE = 64
"""The side of larger grids."""

ZONE = slice(22, 42)
"""The rows and columns of a zone that is kept at 0."""

TOLERATED = 0.01
"""The share of cells outside such a zone that may be wrong."""

SQUARE = 10
"""The side of squares that go dark, one in each step."""

UNTIMED, FIRING = 256, 0.6
"""Steps on a larger grid whose cells fire at random though they have learnt to step together, and how often they do."""

LASTING = 10
"""So many times the steps of an experiment a pattern has to last."""

FEW = 16
"""Starts that show at once whether most changes of a gate do harm."""

FRESH, LARGER = 20.0, 5.0
"""The weight of a cell that is wrong from a fresh start, and in a larger grid with nothing dark in it; else it is 1."""


EARLY = 10
"""By which part of the steps a circuit must be early where cells fire at random."""


@dataclass(frozen=True)
class Siege:
    """How long squares go dark: steps in all, from which on errors count, how many such trials, of how many grids."""

    steps: int
    first: int
    times: int
    samples: int


LONG, SHORT = Siege(4000, 1001, times=1, samples=2), Siege(400, 201, times=4, samples=1)
"""What a circuit is scored by, for as long as ``evaluate``, since some fall apart late; and what it is changed for."""


@dataclass(frozen=True)
class Trials:
    """The tests of an experiment, drawn for the ``draw``-th time, with so many ``samples`` of each larger grid.

    On larger grids a checkerboard may come out in either phase: ``swapped`` says that the other one is wanted.
    """

    task: AutomatonTask
    draw: int = 0
    swapped: bool = False
    samples: int = 1

    def validation(self) -> Heat:
        """Return the starts that say whether the task is solved; always the same."""
        task = self.task
        start = task.validation(task)
        return Heat(self._trial(start, task.steps, task.mask(generator(0, "validation", 1, 0), task.steps, start)))

    def fresh(self) -> tuple[Heat, Heat]:
        """Return other starts of the same kind: a few, which most changes of a gate show up in, and the rest.

        Where cells fire at random, some fire rarely: what is right only just in time will be late now and then, so a
        circuit must be right somewhat earlier.
        """
        task, rng = self.task, self._random(0)
        start = task.start(rng, len(task.validation(task)), task.channels, task.height, task.width)
        fire = task.mask(rng, task.steps, start)
        first = task.steps if fire is None else task.steps - task.steps // EARLY
        weight = FRESH / (task.steps - first + 1)
        few, rest = (
            replace(self._trial(start[part], task.steps, None if fire is None else fire[:, part]), first=first)
            for part in (slice(0, FEW), slice(FEW, None))
        )
        return Heat(few, weight=weight), Heat(rest, weight=weight)

    def larger(self) -> Heat:
        """Return larger grids."""
        return Heat(self._large(self._random(1)), weight=LARGER)

    def zoned(self) -> tuple[Heat, Heat]:
        """Return a zone kept at 0 to the end, of which only what is outside counts, and one that is let go."""
        outside = np.ones((SIDE, SIDE), np.bool_)
        outside[ZONE, ZONE] = False
        kept, healed = (self._large(self._random(salt)) for salt in (2, 3))
        dark = np.broadcast_to(~outside, (kept.steps, self.samples, SIDE, SIDE))
        released = dark.copy()
        released[kept.steps // 2 :] = False
        allowed = int(TOLERATED * outside.sum() * self.samples)
        return (
            Heat(replace(kept, dark=dark, counted=kept.counted & outside), allowed=allowed),
            Heat(replace(healed, dark=released), weight=LARGER),
        )

    def lasting(self) -> Heat:
        """Return grids of the experiment's own size on which a pattern has to last."""
        task, rng = self.task, self._random(9)
        start, steps = task.start(rng, FEW, task.channels, task.height, task.width), LASTING * task.steps
        return Heat(self._trial(start, steps, task.mask(rng, steps, start)), weight=LARGER)

    def untimed(self) -> tuple[Heat, ...]:
        """Return larger grids whose cells fire at random, if those of the experiment all fire in every step."""
        if self.task.fire_probability is not None:
            return ()
        rng = self._random(8)
        fire = rng.random((UNTIMED, self.samples, SIDE, SIDE)) < FIRING
        return (Heat(replace(self._large(rng, UNTIMED), fire=fire)),)

    def besieged(self, siege: Siege) -> tuple[Heat, ...]:
        """Return trials in which a square goes dark in every step, if the experiment has them."""
        if self.task.withstands is None:
            return ()
        counts, heats = siege.samples * (siege.steps - siege.first + 1), []
        for time in range(siege.times):
            rng = self._random(4 + time)
            dark = squares(rng, siege.steps, SIDE, SQUARE)[:, None]
            everywhere = np.broadcast_to(dark, (siege.steps, siege.samples, SIDE, SIDE))
            large = replace(self, samples=siege.samples)._large(rng, siege.steps)
            trial = replace(large, first=siege.first, dark=everywhere)
            allowed = int(self.task.withstands * counts * SIDE * SIDE)
            heats.append(Heat(trial, allowed, 1 / (counts * siege.times)))
        return tuple(heats)

    def scoring(self) -> tuple[Heat, ...]:
        """Return what says whether a circuit is right, which is the first heat, and how weak it is: the others."""
        if not self.task.grows:
            return (self.validation(),)
        damage = *self.zoned(), *self.besieged(LONG)
        return self.validation(), self.larger(), self.lasting(), *self.untimed(), *damage

    def growing(self) -> tuple[Heat, ...]:
        """Return what a circuit must do at least while gates are dropped."""
        return *self.fresh(), self.larger()

    def evolving(self) -> tuple[Heat, ...]:
        """Return what a circuit is changed for; what shows most at the least cost comes first."""
        sieges, others = self.besieged(SHORT), (*self.zoned(), self.lasting(), *self.untimed())
        return *self.fresh(), *sieges[:1], self.larger(), *sieges[1:], *others

    def _large(self, rng: np.random.Generator, steps: int | None = None) -> Trial:
        task = self.task
        steps = task.steps_on(SIDE) if steps is None else steps
        start = task.start(rng, self.samples, task.channels, SIDE, SIDE)
        return self._trial(start, steps, task.mask(rng, steps, start))

    def _trial(self, start: Bits, steps: int, fire: Bits | None) -> Trial:
        """Return a trial that compares the loss channels after the last step."""
        task = self.task
        wanted, counted = np.zeros_like(start), np.zeros_like(start)
        wanted[:, list(task.loss_channels)] = task.target(start) > 0.5
        counted[:, list(task.loss_channels)] = True
        swapped = self.swapped and start.shape[2] == SIDE
        return Trial(start, task.boundary, steps, fire, None, ~wanted if swapped else wanted, counted, steps)

    def _random(self, *salt: int) -> np.random.Generator:
        return generator(0, "validation", 2, self.draw, *salt)


def squares(rng: np.random.Generator, count: int, side: int, square: int) -> Bits:
    """Return where squares (count, side, side) are, each of them wholly inside a grid."""
    corners = rng.integers(0, side - square + 1, (count, 2))
    along = np.arange(side)
    rows, columns = ((along >= at[:, None]) & (along < at[:, None] + square) for at in corners.T)
    return np.asarray(rows[:, :, None] & columns[:, None, :])
