"""An experiment with an automaton: start grids, target grids and the settings of circuit and training."""

from __future__ import annotations

import dataclasses
import functools
import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import final

import numpy as np

from grapheme.arrays import Bits
from grapheme.backend import Backend
from grapheme.ca import DiffLogicCA, GridBatch, Trainer
from grapheme.ca.batch import Wounds
from grapheme.ca.damage import Damage, squares
from grapheme.ca.evolve import evolved
from grapheme.ca.prune import live, pruned
from grapheme.ca.repair import Goal, repaired
from grapheme.experiments.recipe import Recipe, checked, published
from grapheme.experiments.trials import Judge, Trials, weakness
from grapheme.interfaces import AbstractExperiment, Score
from grapheme.kernels.cell import Boundary
from grapheme.randomness import generator

Start = Callable[[np.random.Generator, int, int, int, int], Bits]
"""(rng, samples, channels, height, width) -> grids to start from."""

NEARLY = 0.002
"""An automaton with no more than this share of bits wrong is looked through for gates that it does not need."""

ALIKE = 2
"""So many attempts are all made on grids of the experiment's own size."""

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
    polishings: int = 0
    grows: bool = False
    """Whether it must do as well on larger grids, in either phase, and around and after damage."""
    withstands: float | None = None
    """The share of cells that may be wrong while a square of cells goes dark in every step; None: not asked."""
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
            polishings=chosen.polishings,
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
        return self._trainer_of(model, recipe.lr, seed, attempt, backend)

    def strengthened(self, model: DiffLogicCA, trainer: Trainer, seed: int, attempt: int) -> Trainer:
        """Start again from a circuit that makes no error, if there is damage to learn from."""
        damage = self._recipe.damage
        if damage is None:
            return trainer
        stronger = self._trainer_of(model, damage.lr, seed, attempt, trainer.backend)
        stronger.share = self._recipe.rounding.most
        return stronger

    @property
    def _recipe(self) -> Recipe:
        return self.recipe or published(self.lr, self.epochs)

    def _trainer_of(self, model: DiffLogicCA, lr: float, seed: int, attempt: int, backend: Backend) -> Trainer:
        recipe = self._recipe
        return Trainer(
            model,
            lr=lr,
            weight_decay=recipe.weight_decay,
            loss_channels=self.loss_channels,
            backend=backend,
            parametrisation=recipe.parametrisation,
            rounding=recipe.rounding,
            noise=(seed, attempt),
            samples=self.batch_size,
            cooling=recipe.cooling,
        )

    def batch(self, seed: int, attempt: int, epoch: int) -> GridBatch:
        """Return the grids of an epoch, or more, for the trainer to choose from."""
        rng = generator(seed, "data", attempt, epoch)
        recipe, height, width = self._recipe, self.height, self.width
        if recipe.sides and attempt >= ALIKE:
            height = width = int(rng.choice(recipe.sides))
        start = self.start(rng, recipe.candidates or self.batch_size, self.channels, height, width)
        steps = self.steps_on(max(height, width))
        return GridBatch(start, self.target(start), steps, self.mask(rng, steps, start))

    def strengthen(self, trainer: Trainer, seed: int, attempt: int, epoch: int) -> None:
        """Let a circuit learn from damage."""
        damage = self._recipe.damage
        if damage is not None:
            for wounds in self._wounds(damage, generator(seed, "damage", attempt, epoch)):
                trainer.heal(wounds)

    def _wounds(self, damage: Damage, rng: np.random.Generator) -> Iterator[Wounds]:
        """Draw grids and what goes dark in them."""
        side, settling = damage.side, self.steps_on(damage.side)
        for _ in range(damage.times):
            start = self.start(rng, damage.candidates, self.channels, side, side)
            rest = GridBatch(start, self.target(start), settling, self.mask(rng, settling, start))
            dark = [squares(rng, damage.candidates, damage.square, side, side) for _ in range(damage.rounds)]
            meanwhile = self.mask(rng, damage.pause * (damage.rounds - 1), start)
            fire = self.mask(rng, damage.steps, start)
            yield Wounds(rest, np.array(dark), damage.pause, meanwhile, damage.steps, fire)

    @functools.cached_property
    def trials(self) -> Trials:
        """What its circuits are put to."""
        return Trials.of(self)

    def errors(self, model: DiffLogicCA, backend: Backend) -> int:
        """Return how many bits of the loss channels are wrong after ``steps`` from the validation grids."""
        circuit, first = model.harden(), self.trials.first
        long = first.steps * first.wanted.size > LONG
        return self.trials.fresh(live(circuit) if long else circuit, backend)

    def score(self, model: DiffLogicCA, backend: Backend) -> Score:
        """Return the errors, and how the circuit does in its other trials, if it makes hardly any."""
        errors = self.errors(model, backend)
        if self.recipe is None or len(self.trials.each) == 1:
            return Score(errors)
        near = self._nearly(errors)
        return Score(errors, weakness(self.trials.errors(live(model.harden()), backend)) if near else math.inf)

    def repaired(self, model: DiffLogicCA, score: Score, backend: Backend) -> tuple[DiffLogicCA, Score]:
        """Give gates other operations and other wires while bits are wrong, if these are not too many."""
        repair, grids = self._recipe.repair, self.trials.first
        if repair is None or not 0 < score.errors <= repair.most * grids.wanted.size:
            return model, score
        better, errors = repaired(model, Goal(grids.start, grids.wanted, grids.steps), repair.tries, backend)
        return better, Score(errors)

    def refined(self, model: DiffLogicCA, score: Score, backend: Backend) -> tuple[DiffLogicCA, Score]:
        """Take out the gates that are not needed, if hardly anything is wrong, unless training is as published.

        In no trial may a bit more be wrong.
        """
        if self.recipe is None or not self._nearly(score.errors):
            return model, score
        return self._pruned(model, backend)

    def polished(self, model: DiffLogicCA, time: int, backend: Backend) -> tuple[DiffLogicCA, Score]:
        """Try changes at random, judged by trials that are drawn anew each time, and prune what came of them."""
        judge = Judge(Trials.of(self, draw=time + 1), backend)
        other = evolved(model, judge, self._recipe.changes, generator(0, "evolution", time))
        return self._pruned(other, backend)

    def _pruned(self, model: DiffLogicCA, backend: Backend) -> tuple[DiffLogicCA, Score]:
        """Take out the gates that no trial needs."""
        circuit, judge = model.harden(), Judge(self.trials, backend)
        codes, left = pruned(circuit, judge.errors(live(circuit)), judge.no_worse)
        return model.with_codes(codes), Score(left[0], weakness(left))

    def _nearly(self, errors: int) -> bool:
        """Say whether hardly any bits are wrong."""
        return errors <= NEARLY * self.trials.first.wanted.size

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
