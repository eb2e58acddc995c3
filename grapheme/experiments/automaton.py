"""An experiment with an automaton: its task, the shape of its circuit, and how it is trained."""

from __future__ import annotations

import dataclasses
import functools
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import final

import numpy as np

from grapheme.backend import Backend
from grapheme.ca import DiffLogicCA, GridBatch, Trainer
from grapheme.ca.prune import live
from grapheme.ca.task import AutomatonTask
from grapheme.errors import InvalidInputError
from grapheme.experiments.automaton_callbacks import Evolve, Prune, RepairPicture
from grapheme.experiments.judge import Judge
from grapheme.experiments.recipe import Recipe, checked, published
from grapheme.files import file_name
from grapheme.kernels.trial import Trial
from grapheme.models.evaluation import Evaluation
from grapheme.models.model import Score
from grapheme.options import Options
from grapheme.rng import generator
from grapheme.training.callbacks import AbstractCallback
from grapheme.training.experiment import AbstractExperiment

LONG = 2**20
"""Updates of cells from which on it pays to look for gates that nothing depends on before a circuit is run."""

NEARLY = 0.002
"""An automaton with no more than this share of bits wrong is nearly right, and looked at more closely."""


@final
@dataclass(frozen=True, kw_only=True)
class AutomatonExperiment(AutomatonTask, AbstractExperiment):
    """Everything that defines a published experiment.

    As it stands it is trained as published; ``with_recipe("reliable")`` returns the same task, trained reliably.
    """

    kernels: int
    perceive: tuple[int, ...]
    update: tuple[int, ...]
    batch_size: int
    max_steps: int
    lr: float
    reliable: Recipe
    recipe: Recipe | None = None
    """How it is trained; None is the published way."""
    restarts: int = 0
    attached: Mapping[str, bytes] = field(default_factory=dict)
    introduction: str = ""

    def configured(self, options: Options) -> AutomatonExperiment:
        """Return the same task, trained as the options ``recipe``, ``batch_size`` and ``max_steps`` say."""
        chosen = self.with_recipe(options["recipe"])
        if options["max_steps"] is not None:
            chosen = chosen.with_max_steps(options["max_steps"])
        return chosen if options["batch_size"] is None else chosen.with_batch_size(options["batch_size"])

    def with_recipe(self, name: str) -> AutomatonExperiment:
        """Return the same task, trained by a recipe.

        Raises:
            InvalidInputError: if there is no such recipe, or the published settings are lost to another one already.
        """
        if checked(name) == "paper":
            if self.recipe is not None:
                chosen_so = f'experiment("{self.name}", {{"recipe": "paper"}})'
                raise InvalidInputError(f"This experiment has the recipe 'reliable' already; make it as {chosen_so}.")
            return self
        chosen = self.reliable
        return dataclasses.replace(
            self, recipe=chosen, lr=chosen.lr, max_steps=chosen.max_steps, restarts=chosen.restarts
        )

    def with_max_steps(self, steps: int) -> AutomatonExperiment:
        """Return the same task; a learning rate that falls does so within so many steps."""
        recipe = None if self.recipe is None else dataclasses.replace(self.recipe, max_steps=steps)
        return dataclasses.replace(self, max_steps=steps, recipe=recipe)

    def with_batch_size(self, samples: int) -> AutomatonExperiment:
        """Return the same task, learnt from so many grids in each step, of as many candidates at least."""
        candidates = None if self.recipe is None else self.recipe.candidates
        if candidates is not None and self.recipe is not None and candidates < samples:
            recipe = dataclasses.replace(self.recipe, candidates=samples)
            return dataclasses.replace(self, batch_size=samples, recipe=recipe)
        return dataclasses.replace(self, batch_size=samples)

    def hints(self, folder: str) -> dict[str, str]:
        """Return how to see the circuit and a film of it."""
        film = f"--grid 64x64 --steps 60 --gif {file_name(self.name)}.gif"
        return {"Look at it": f"grapheme info {folder}", "Watch it": f"grapheme run {folder} {film}"}

    def trainer(self, seed: int, attempt: int, dtype: str, backend: Backend) -> Trainer:
        """Return a trainer with freshly wired gates that pass their first input through."""
        recipe = self.way
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

    def batch(self, seed: int, attempt: int, step: int) -> GridBatch:
        """Return the grids of a training step, or more, for the trainer to choose from."""
        rng = generator(seed, "data", attempt, step)
        start = self.start(rng, self.way.candidates or self.batch_size, self.channels, self.height, self.width)
        return GridBatch(start, self.target(start), self.steps, self.mask(rng, self.steps, start))

    def score(self, model: DiffLogicCA, backend: Backend) -> Score:
        """Return how many bits are wrong, and the penalty of a circuit that has hardly any wrong."""
        errors = self.errors(model, backend)
        if self.recipe is None or not self.grows:
            return Score(errors)
        return self.judge.score(live(model.harden()), backend) if self.nearly(errors) else Score(errors, math.inf)

    def callbacks(self) -> tuple[AbstractCallback, ...]:
        """Return repairs, pruning and evolution, as the recipe has them; none if training is as published."""
        if self.recipe is None:
            return ()
        found: list[AbstractCallback] = []
        if self.recipe.repair is not None:
            found.append(RepairPicture(self.recipe.repair, self.validation_test, self.loss_channels))
        found.append(Prune(self.judge, self.most_errors, self.recipe.refined_every))
        if self.recipe.evolution is not None:
            found.append(Evolve(self.judge, self.recipe.evolution, self.update))
        return tuple(found)

    def evaluate(self, model: DiffLogicCA, backend: Backend, seed: int) -> Evaluation:
        """Return how the simplified circuit does in the robustness tests."""
        from grapheme.experiments.evaluate import evaluate

        model.visible = model.visible or self.loss_channels
        return evaluate(model.harden(), self, backend, seed)

    @property
    def way(self) -> Recipe:
        """How it is trained."""
        return self.recipe or published(self.lr, self.max_steps)

    @functools.cached_property
    def judge(self) -> Judge:
        """What judges its circuits."""
        return Judge(self)

    @property
    def validation_test(self) -> Trial:
        """The test that says whether the task is solved."""
        return self.judge.validation.trial

    @property
    def most_errors(self) -> int:
        """How many bits a nearly right circuit may have wrong."""
        return int(NEARLY * int(self.validation_test.counted.sum()))

    def errors(self, model: DiffLogicCA, backend: Backend) -> int:
        """Return how many bits of the loss channels are wrong after ``steps`` from the validation grids."""
        circuit, test = model.harden(), self.validation_test
        long = test.steps * test.start[:, 0].size > LONG
        shown = (live(circuit) if long else circuit).run(test.start, test.steps, test.fire, backend)
        return int(np.count_nonzero((shown != test.wanted) & test.counted))

    def nearly(self, errors: int) -> bool:
        """Say whether hardly any bits are wrong."""
        return errors <= self.most_errors


def as_automaton(experiment: AbstractExperiment) -> AutomatonExperiment:
    """Return an experiment that trains an automaton, or say that it does not."""
    if not isinstance(experiment, AutomatonExperiment):
        raise InvalidInputError(f"The experiment '{experiment.name}' does not train an automaton.")
    return experiment
