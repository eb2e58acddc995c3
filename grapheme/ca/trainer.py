"""Trains an automaton: AdamW on the soft loss, with the hard loss watched beside it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import final

import numpy as np
from numpy.typing import ArrayLike

from grapheme.arrays import Array
from grapheme.backend import Backend
from grapheme.backend.selection import resolve
from grapheme.ca import checks, objective
from grapheme.ca.batch import GridBatch
from grapheme.ca.checks import Problem
from grapheme.ca.hardest import hardest, wrong_values
from grapheme.ca.model import DiffLogicCA
from grapheme.ca.parametrisation import MIXTURE, AbstractParametrisation
from grapheme.ca.rounding import NO_ROUNDING, Rounding, rounded_gates
from grapheme.errors import GraphemeError
from grapheme.models.model import AbstractTrainer, Metrics, Tensors
from grapheme.optim.adamw import AdamW
from grapheme.optim.schedules import Cooling
from grapheme.rng import generator
from grapheme.timing import section


@final
class Trainer(AbstractTrainer):
    """Changes ``model`` in place; parameters and optimiser stay where the backend works.

    ``parametrisation`` says what is trained; the model always shows the same gates as logits. ``rounding`` says
    which share of gates is hard in a step, drawn from ``noise`` = (seed, attempt). ``samples`` is how many of a batch,
    those with the most errors, are learnt from; all, if None. ``cooling`` lets the learning rate fall step by step.
    """

    model: DiffLogicCA

    def __init__(
        self,
        model: DiffLogicCA,
        lr: float = 0.05,
        weight_decay: float = 0.01,
        betas: tuple[float, float] = (0.9, 0.99),
        clip: float | None = 100.0,
        loss_channels: Sequence[int] | None = None,
        backend: Backend | str | None = None,
        parametrisation: AbstractParametrisation = MIXTURE,
        rounding: Rounding = NO_ROUNDING,
        noise: tuple[int, int] = (0, 0),
        samples: int | None = None,
        cooling: Cooling | None = None,
    ) -> None:
        checks.channels(loss_channels, model.channels)
        self.model, self.backend = model, resolve(backend)
        self.loss_channels, self.samples, self.cooling = loss_channels, samples, cooling
        model.visible = None if loss_channels is None else tuple(loss_channels)
        self.optimiser = AdamW(lr, betas, weight_decay, clip)
        self.parametrisation, self.rounding, self.noise = parametrisation, rounding, noise
        self.share = rounding.least
        model.place(self.backend)
        self._set(parametrisation.start(model.parameters_on(self.backend), self.backend.xp))

    def step(self, x: ArrayLike, y: ArrayLike, steps: int, fire: ArrayLike | None = None) -> Metrics:
        """Take one step on a batch; the losses are those before it."""
        problem, wrong = self._hard(checks.problem(self.model, x, y, steps, self.loss_channels, fire))
        with section("forward"):
            gates = self.parametrisation.linearise(self.parameters, self.backend.xp, self._rounded())
        result = objective.loss_and_grad(self.model, problem, self.backend, gates)
        if not np.isfinite(result.loss):
            raise GraphemeError(
                f"The loss became {result.loss}; try a smaller learning rate than {self.optimiser.lr}, or float64."
            )
        with section("update"):
            if self.cooling is not None:
                self.optimiser.lr = self.cooling.rate(self.optimiser.steps)
            name = self.parametrisation.name
            self._set(self.optimiser.update({name: self.parameters}, {name: result.grad}, self.backend)[name])
        soft_mean = result.loss / problem.compared
        self.share = self.rounding.next_share(self.share, soft_mean)
        right = problem.compared - int(np.count_nonzero(np.abs(wrong) > 0.5))
        return Metrics(result.loss, float((wrong * wrong).sum()), soft_mean, right / problem.compared)

    def train_on(self, batch: GridBatch) -> Metrics:
        """Take one step on a batch."""
        return self.step(batch.x, batch.y, batch.steps, batch.fire)

    def state(self) -> Tensors:
        """Return model, parameters and optimiser as arrays."""
        optimiser = {f"optimiser.{name}": array for name, array in self.optimiser.state(self.backend).items()}
        trained = {self.parametrisation.name: self.backend.to_numpy(self.parameters), "share": np.array([self.share])}
        return self.model.tensors() | trained | optimiser

    def restore(self, state: Tensors) -> None:
        """Continue from what ``state`` returned."""
        prefix = "optimiser."
        self.model = DiffLogicCA.from_tensors({k: v for k, v in state.items() if not k.startswith(prefix)})
        self.model.place(self.backend)
        self._set(self.backend.asarray(state[self.parametrisation.name]))
        self.share = float(state["share"][0])
        moments = {k.removeprefix(prefix): v for k, v in state.items() if k.startswith(prefix)}
        self.optimiser.restore(moments, self.backend)

    def _set(self, parameters: Array) -> None:
        """Take the parameters, and show them as the model's logits."""
        self.parameters = parameters
        self.model.set_parameters(self.parametrisation.logits(parameters, self.backend.xp), self.backend)

    def _rounded(self) -> Array | None:
        """Return the gates that are hard in this step: a function of the seed, the attempt and the step."""
        seed, attempt = self.noise
        rng = generator(seed, "rounding", attempt, self.optimiser.steps)
        mask = rounded_gates(self.share, self.parameters.shape[0], rng)
        return None if mask is None else self.backend.asarray(mask)

    def _hard(self, problem: Problem) -> tuple[Problem, np.ndarray]:
        """Return the samples to learn from and the hard circuit's errors in them."""
        with section("hard evaluation"):
            wrong = wrong_values(self.model.harden(), problem, self.backend)
            return hardest(problem, wrong, self.samples or len(problem.x))
