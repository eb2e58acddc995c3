"""An experiment with an automaton: start grids, target grids and the settings of circuit and training."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import final

import numpy as np

from grapheme.arrays import Bits
from grapheme.backend import Backend
from grapheme.ca import DiffLogicCA, GridBatch, Trainer
from grapheme.ca.hard import HardCircuit
from grapheme.ca.prune import Errors, live, pruned
from grapheme.experiments.recipe import Recipe, checked, published
from grapheme.interfaces import AbstractExperiment
from grapheme.kernels.cell import Boundary
from grapheme.randomness import generator

Start = Callable[[np.random.Generator, int, int, int, int], Bits]
"""(rng, samples, channels, height, width) -> grids to start from."""

NEARLY = 0.002
"""An automaton with no more than this share of bits wrong is looked through for gates that it does not need."""

LONG = 2**20
"""Updates of cells from which on it pays to look for gates that nothing depends on before a circuit is run."""

LARGER = 4
"""Larger grids on which a circuit without some gate is tried."""

FEW = 2
"""Grids on which most changes of a gate show at once whether they do harm."""

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
    larger: int = 0
    """How much larger grids may be, each way, on which it must do as well; 0 if the target has one size only."""
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
        recipe = self.recipe or published(self.lr, self.epochs)
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

    def batch(self, seed: int, attempt: int, epoch: int) -> GridBatch:
        """Return the grids of an epoch, or more, for the trainer to choose from."""
        rng = generator(seed, "data", attempt, epoch)
        candidates = self.recipe.candidates if self.recipe else None
        start = self.start(rng, candidates or self.batch_size, self.channels, self.height, self.width)
        return GridBatch(start, self.target(start), self.steps, self.mask(rng, self.steps, start))

    def errors(self, model: DiffLogicCA, backend: Backend) -> int:
        """Return how many bits of the loss channels are wrong after ``steps`` from the validation grids."""
        start, fire = self._examination()
        circuit = model.harden()
        long = self.steps * len(start) * self.height * self.width > LONG
        return self._wrong(live(circuit) if long else circuit, start, fire, backend)

    def refined(self, model: DiffLogicCA, errors: int, backend: Backend) -> tuple[DiffLogicCA, int]:
        """Take out the gates that are not needed, if hardly anything is wrong, unless training is as published.

        No bit more may be wrong on the validation grids, nor, where as many are, on a few larger ones.
        """
        start, fire = self._examination()
        bits = len(start) * len(self.loss_channels) * self.height * self.width
        if self.recipe is None or errors > NEARLY * bits:
            return model, errors

        def wrong(circuit: HardCircuit, most: Errors) -> Errors:
            few = self._wrong(circuit, start[:FEW], None if fire is None else fire[:, :FEW], backend)
            if few > most[0]:
                return few, 0
            return self._wrong(circuit, start, fire, backend), self._wrong_on_larger(circuit, backend)

        circuit = model.harden()
        codes, left = pruned(circuit, (errors, self._wrong_on_larger(circuit, backend)), wrong)
        return model.with_codes(codes), left[0]

    def _examination(self) -> tuple[Bits, Bits | None]:
        """Return the validation grids, and which cells fire in each step."""
        start = self.validation(self)
        return start, self.mask(generator(0, "validation", 1), self.steps, start)

    def _wrong_on_larger(self, circuit: HardCircuit, backend: Backend) -> int:
        """Return how many bits are wrong on a few larger grids, after as many more steps; 0 if there are none."""
        if not self.larger:
            return 0
        height, width = self.height + self.larger, self.width + self.larger
        start = self.start(generator(0, "validation", 2), LARGER, self.channels, height, width)
        steps = self.steps * max(height, width) // max(self.height, self.width)
        fire = self.mask(generator(0, "validation", 3), steps, start)
        return self._wrong(circuit, start, fire, backend, steps)

    def _wrong(
        self, circuit: HardCircuit, start: Bits, fire: Bits | None, backend: Backend, steps: int | None = None
    ) -> int:
        """Return how many bits of the loss channels are wrong after ``steps`` from some grids."""
        final = circuit.run(start, steps or self.steps, fire, backend)
        return int(np.count_nonzero(final[:, list(self.loss_channels)] != (self.target(start) > 0.5)))

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
