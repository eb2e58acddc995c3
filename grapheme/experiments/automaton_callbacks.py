"""What happens to the circuits of an automaton beside gradient descent: repair, pruning and evolution."""

from __future__ import annotations

from collections.abc import Sequence
from typing import final

from grapheme.backend import Backend
from grapheme.ca import DiffLogicCA
from grapheme.ca.evolve import Evolution, evolved
from grapheme.ca.placement import placed
from grapheme.ca.prune import live, pruned
from grapheme.ca.repair import Goal, Repair, repaired
from grapheme.errors import InvalidInputError
from grapheme.experiments.judge import Judge
from grapheme.kernels.trial import Trial
from grapheme.models.model import AbstractModel, Score
from grapheme.rng import generator
from grapheme.training.callbacks import AbstractCallback, Candidate

ROOM = 64
"""Gates of a layer that can hold all that a small circuit hands on from layer to layer."""


@final
class RepairPicture(AbstractCallback):
    """Gives gates other operations and other wires while bits are wrong, if these are not too many."""

    name = "repair"

    def __init__(self, repair: Repair, test: Trial, loss_channels: Sequence[int]) -> None:
        self.every = repair.every
        self._repair, self._test, self._channels = repair, test, list(loss_channels)

    def on_validation(self, candidate: Candidate, step: int, backend: Backend) -> Candidate:
        """Return a circuit that gets less wrong, every so many steps."""
        test, most = self._test, self._repair.most * self._test.counted.sum()
        if not self.due(step) or not 0 < candidate.score.errors <= most:
            return candidate
        goal = Goal(test.start, test.wanted[:, self._channels], test.steps)
        better, errors = repaired(_automaton(candidate.model), goal, self._repair.tries, backend)
        return Candidate(better, Score(errors))


@final
class Prune(AbstractCallback):
    """Takes out the gates that are not needed, if hardly anything is wrong.

    On larger grids and around damage, too, no bit more may be wrong.
    """

    name = "pruning"
    revisits = True

    def __init__(self, judge: Judge, most_errors: int, every: int | None) -> None:
        self._judge, self._most_errors, self.every = judge, most_errors, every

    def on_promising(self, candidate: Candidate, step: int, backend: Backend) -> Candidate:
        """Return a smaller circuit, and its score."""
        if candidate.score.errors > self._most_errors:
            return candidate
        model = _automaton(candidate.model)
        circuit = model.harden()
        contest = self._judge.pruning(live(circuit), backend)
        codes, _ = pruned(circuit, contest.errors(live(circuit)), contest.no_worse)
        smaller = model.with_codes(codes)
        return Candidate(smaller, self._judge.score(live(smaller.harden()), backend))


@final
class Evolve(AbstractCallback):
    """Changes a circuit that solves the task but fails the robustness tests at random, until it passes them."""

    name = "evolution"

    def __init__(self, judge: Judge, evolution: Evolution, update: Sequence[int]) -> None:
        self._judge, self._evolution = judge, evolution
        self._deepest = sum(width >= ROOM for width in update)
        self.rounds = evolution.times

    def on_round(self, candidate: Candidate, number: int, backend: Backend) -> Candidate:
        """Return what became of a circuit, judged by tests that are drawn again in each round."""
        model = _automaton(candidate.model)
        circuit = live(model.harden())
        contests = self._judge.evolving(circuit, self._evolution, number, backend)
        rng = generator(0, "evolution", number)
        better = live(evolved(circuit, contests, self._evolution.generations, self._deepest, rng))
        try:
            return Candidate(placed(better, model), self._judge.score(better, backend))
        except InvalidInputError:  # the layers of the model have no room for it
            return Candidate(model, self._judge.score(circuit, backend))


def _automaton(model: AbstractModel) -> DiffLogicCA:
    assert isinstance(model, DiffLogicCA)
    return model
