"""Judges the circuits of an experiment: whether they are right, how weak they are, and whether a change does harm."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from typing import final

from grapheme.backend import Backend
from grapheme.ca.contest import Contest, Heat
from grapheme.ca.evolve import Evolution
from grapheme.ca.hard import HardCircuit
from grapheme.ca.task import AutomatonTask
from grapheme.experiments.trials import Trials
from grapheme.models.model import Score

SAMPLES = 4
"""Larger grids of each kind by which a circuit is scored."""


@final
class Judge:
    """Keeps the trials that stay the same; on larger grids, in the phase that a circuit shows its pattern in."""

    def __init__(self, task: AutomatonTask) -> None:
        self.task = task
        self._heats: dict[bool, tuple[Heat, ...]] = {}

    @functools.cached_property
    def validation(self) -> Heat:
        """The starts that say whether the task is solved."""
        return Trials(self.task).validation()

    def score(self, circuit: HardCircuit, backend: Backend) -> Score:
        """Return how many values a circuit gets wrong from these starts, and how weak it is."""
        contest = Contest(self._scoring(self.swapped(circuit, backend)), backend)
        errors, enough = contest.errors(circuit), self.task.gates
        spare = 0 if enough is None else max(0, circuit.netlist.gates - enough)
        return Score(errors[0], contest.weigh(errors) + spare)

    def pruning(self, circuit: HardCircuit, backend: Backend) -> Contest:
        """Return what a circuit must not do worse without a gate: all but what it is to withstand."""
        heats = self._scoring(self.swapped(circuit, backend))
        return Contest(tuple(heat for heat in heats if heat.trial.times == 1), backend)

    def evolving(self, circuit: HardCircuit, evolution: Evolution, time: int, backend: Backend) -> Iterator[Contest]:
        """Yield what a circuit is changed for when it is changed again, drawn anew; the first time that is growth."""
        swapped = self.swapped(circuit, backend)
        for draw in draws(evolution, time):
            trials = Trials(self.task, draw, swapped)
            yield Contest(trials.growing() if time == 0 else trials.evolving(), backend)

    def swapped(self, circuit: HardCircuit, backend: Backend) -> bool:
        """Say whether a circuit shows the other phase of its pattern on larger grids."""
        if not self.task.grows:
            return False
        (wrong,) = Contest((self._larger,), backend).errors(circuit)
        return 2 * wrong > int(self._larger.trial.counted.sum())

    @functools.cached_property
    def _larger(self) -> Heat:
        return Trials(self.task).larger()

    def _scoring(self, swapped: bool) -> tuple[Heat, ...]:
        """Return what a circuit of one phase or the other is scored by."""
        if swapped not in self._heats:
            self._heats[swapped] = Trials(self.task, swapped=swapped, samples=SAMPLES).scoring()
        return self._heats[swapped]


def draws(evolution: Evolution, time: int) -> range:
    """Return the numbers of the draws, from 1 up, by which a circuit is judged when it is changed again."""
    if time == 0:
        return range(1, 1 + evolution.shrinking)
    first = 1 + evolution.shrinking + (time - 1) * evolution.draws
    return range(first, first + evolution.draws)
