"""An experiment with an automaton: start grids, target grids and the settings of circuit and training."""

from __future__ import annotations

import dataclasses
import functools
import logging
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import final

import numpy as np

from grapheme.arrays import Bits
from grapheme.backend import Backend
from grapheme.ca import DiffLogicCA, GridBatch, Trainer
from grapheme.ca.evolve import evolved
from grapheme.ca.placement import placed
from grapheme.ca.prune import live, pruned
from grapheme.ca.repair import Goal, repaired
from grapheme.errors import InvalidInputError
from grapheme.experiments.judge import Judge
from grapheme.experiments.recipe import Recipe, checked, published
from grapheme.kernels.cell import Boundary
from grapheme.kernels.trial import Trial
from grapheme.models.model import Score
from grapheme.rng import generator
from grapheme.training.experiment import AbstractExperiment

log = logging.getLogger("grapheme")

Start = Callable[[np.random.Generator, int, int, int, int], Bits]
"""(rng, samples, channels, height, width) -> grids to start from."""

NEARLY = 0.002
"""An automaton with no more than this share of bits wrong is looked through for gates that it does not need."""

ROOM = 64
"""Gates of a layer that can hold all that a small circuit hands on from layer to layer."""

LONG = 2**20
"""Updates of cells from which on it pays to look for gates that nothing depends on before a circuit is run."""

Target = Callable[[Bits], np.ndarray]
"""Start grids -> the loss channels of the grids to reach, (batch, loss channels, height, width)."""


@final
@dataclass(frozen=True, kw_only=True)
class AutomatonExperiment(AbstractExperiment):
    """Everything that defines a published experiment; the field names are those of its table of settings.

    As it stands it is trained as published; ``with_recipe("reliable")`` returns the same task, trained reliably.
    """

    name: str
    summary: str
    channels: int
    height: int
    width: int
    boundary: Boundary
    kernels: int
    perceive: tuple[int, ...]
    update: tuple[int, ...]
    steps: int
    batch_size: int
    epochs: int
    lr: float
    start: Start
    target: Target
    validation: Callable[[AutomatonExperiment], Bits]
    """Returns the start grids from which a solved automaton makes no error."""
    reliable: Recipe
    recipe: Recipe | None = None
    """How it is trained; None is the published way."""
    restarts: int = 0
    refined_every: int | None = None
    repaired_every: int | None = None
    grows: bool = False
    """Whether it must do as well on larger grids, in either phase, and around and after damage."""
    withstands: float | None = None
    """The share of cells that may be wrong while a square of cells goes dark in every step; None: not asked."""
    gates: int | None = None
    """How many gates a circuit may have without being weak; any number, if None."""
    loss_channels: tuple[int, ...] = (0,)
    fire_probability: float | None = None
    attached: Mapping[str, bytes] = field(default_factory=dict)

    def with_recipe(self, name: str) -> AutomatonExperiment:
        """Return the same task, trained by a recipe."""
        if checked(name) == "paper":
            return self
        chosen = self.reliable
        return dataclasses.replace(
            self,
            recipe=chosen,
            lr=chosen.lr,
            epochs=chosen.epochs,
            restarts=chosen.restarts,
            refined_every=chosen.refined_every,
            repaired_every=None if chosen.repair is None else chosen.repair.every,
        )

    def with_epochs(self, epochs: int) -> AutomatonExperiment:
        """Return the same task; a learning rate that falls does so within so many epochs."""
        recipe = None if self.recipe is None else dataclasses.replace(self.recipe, epochs=epochs)
        return dataclasses.replace(self, epochs=epochs, recipe=recipe)

    def hints(self, folder: str) -> dict[str, str]:
        """Return how to see the circuit and a film of it."""
        film = f"--grid 64x64 --steps 60 --gif {self.name}.gif"
        return {"Look at it": f"grapheme info {folder}", "Watch it": f"grapheme run {folder} {film}"}

    def trainer(self, seed: int, attempt: int, dtype: str, backend: Backend) -> Trainer:
        """Return a trainer with freshly wired gates that pass their first input through."""
        recipe = self._recipe
        model = DiffLogicCA.build(
            self.channels,
            self.kernels,
            self.perceive,
            self.update,
            self.boundary,
            dtype=dtype,
            rng=generator(seed, "wiring", attempt),
            xors=recipe.xors,
        )
        return Trainer(
            model,
            lr=recipe.lr,
            weight_decay=recipe.weight_decay,
            loss_channels=self.loss_channels,
            backend=backend,
            parametrisation=recipe.parametrisation,
            rounding=recipe.rounding,
            noise=(seed, attempt),
            samples=self.batch_size,
            cooling=recipe.cooling,
        )

    @property
    def _recipe(self) -> Recipe:
        return self.recipe or published(self.lr, self.epochs)

    def batch(self, seed: int, attempt: int, epoch: int) -> GridBatch:
        """Return the grids of an epoch, or more, for the trainer to choose from."""
        rng = generator(seed, "data", attempt, epoch)
        start = self.start(rng, self._recipe.candidates or self.batch_size, self.channels, self.height, self.width)
        return GridBatch(start, self.target(start), self.steps, self.mask(rng, self.steps, start))

    @functools.cached_property
    def judge(self) -> Judge:
        """What judges its circuits."""
        return Judge(self)

    @property
    def first(self) -> Trial:
        """The trial that says whether the task is solved."""
        return self.judge.validation.trial

    def errors(self, model: DiffLogicCA, backend: Backend) -> int:
        """Return how many bits of the loss channels are wrong after ``steps`` from the validation grids."""
        circuit, first = model.harden(), self.first
        long = first.steps * first.start[:, 0].size > LONG
        shown = (live(circuit) if long else circuit).run(first.start, first.steps, first.fire, backend)
        return int(np.count_nonzero((shown != first.wanted) & first.counted))

    def score(self, model: DiffLogicCA, backend: Backend) -> Score:
        """Return the errors, and how weak the circuit is, if it makes hardly any."""
        errors = self.errors(model, backend)
        if self.recipe is None or not self.grows:
            return Score(errors)
        return self.judge.score(live(model.harden()), backend) if self._nearly(errors) else Score(errors, math.inf)

    def repaired(self, model: DiffLogicCA, score: Score, backend: Backend) -> tuple[DiffLogicCA, Score]:
        """Give gates other operations and other wires while bits are wrong, if these are not too many."""
        repair, first = self._recipe.repair, self.first
        if repair is None or not 0 < score.errors <= repair.most * first.counted.sum():
            return model, score
        wanted = first.wanted[:, list(self.loss_channels)]
        better, errors = repaired(model, Goal(first.start, wanted, first.steps), repair.tries, backend)
        return better, Score(errors)

    def refined(self, model: DiffLogicCA, score: Score, backend: Backend) -> tuple[DiffLogicCA, Score]:
        """Take out the gates that are not needed, if hardly anything is wrong, unless training is as published.

        On larger grids and around damage, too, no bit more may be wrong.
        """
        if self.recipe is None or not self._nearly(score.errors):
            return model, score
        circuit = model.harden()
        contest = self.judge.pruning(live(circuit), backend)
        codes, _ = pruned(circuit, contest.errors(live(circuit)), contest.no_worse)
        smaller = model.with_codes(codes)
        return smaller, self.judge.score(live(smaller.harden()), backend)

    def polishings(self, backend: Backend) -> int:
        """Return how often a right but weak circuit is changed at random; not at all where that would take hours."""
        evolution = self._recipe.evolution
        if evolution is not None and not backend.provides("batch.hard_errors"):
            log.info("The backend '%s' has no kernel batch.hard_errors: weak circuits stay as they are.", backend.name)
            return 0
        return 0 if evolution is None else evolution.times

    def polished(self, model: DiffLogicCA, time: int, backend: Backend) -> tuple[DiffLogicCA, Score]:
        """Change the circuit at random, judged by trials that are drawn anew each time."""
        evolution, circuit = self._recipe.evolution, live(model.harden())
        if evolution is None:
            return model, self.judge.score(circuit, backend)
        better = live(
            evolved(
                circuit,
                self.judge.evolving(circuit, evolution, time, backend),
                evolution.generations,
                sum(width >= ROOM for width in self.update),
                generator(0, "evolution", time),
            )
        )
        try:
            return placed(better, model), self.judge.score(better, backend)
        except InvalidInputError:  # the layers of the model have no room for it
            return model, self.judge.score(circuit, backend)

    def _nearly(self, errors: int) -> bool:
        """Say whether hardly any bits are wrong."""
        return errors <= NEARLY * int(self.first.counted.sum())

    def steps_on(self, side: int) -> int:
        """Return how many steps a pattern takes on a grid of another size."""
        return -(-self.steps * side // max(self.height, self.width))

    def mask(self, rng: np.random.Generator, steps: int, grids: Bits) -> Bits | None:
        """Return which cells fire in each step, or None if all always do."""
        if self.fire_probability is None:
            return None
        return rng.random((steps, len(grids), *grids.shape[2:])) < self.fire_probability


def random_bits(rng: np.random.Generator, samples: int, channels: int, height: int, width: int) -> Bits:
    """Start from random bits in every channel."""
    return rng.integers(0, 2, (samples, channels, height, width)).astype(np.bool_)


def fresh_starts(samples: int) -> Callable[[AutomatonExperiment], Bits]:
    """Validate on so many starts that no training run draws."""
    return lambda experiment: experiment.start(
        generator(0, "validation", 0), samples, experiment.channels, experiment.height, experiment.width
    )
