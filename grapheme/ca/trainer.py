"""Trains an automaton: AdamW on the soft loss, with the hard loss watched beside it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import final

import numpy as np
from numpy.typing import ArrayLike

from grapheme.arrays import Bits, Floats
from grapheme.backend import Backend
from grapheme.ca import checks, objective
from grapheme.ca.checks import Problem
from grapheme.ca.model import DiffLogicCA
from grapheme.errors import GraphemeError
from grapheme.interfaces import AbstractTrainer, Metrics, Tensors
from grapheme.selection import resolve
from grapheme.timing import section
from grapheme.training.adamw import AdamW


@dataclass(frozen=True)
class GridBatch:
    """Grids to start from, grids to reach, and in how many steps."""

    x: Floats | Bits
    y: Floats | Bits
    steps: int
    fire: Bits | None = None


@final
class Trainer(AbstractTrainer):
    """Changes ``model`` in place; parameters and optimiser stay where the backend works."""

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
    ) -> None:
        checks.channels(loss_channels, model.channels)
        self.model, self.backend = model, resolve(backend)
        self.loss_channels = loss_channels
        model.visible = None if loss_channels is None else tuple(loss_channels)
        self.optimiser = AdamW(lr, betas, weight_decay, clip)
        model.place(self.backend)

    def step(self, x: ArrayLike, y: ArrayLike, steps: int, fire: ArrayLike | None = None) -> Metrics:
        """Take one step on a batch; the losses are those before it."""
        problem = checks.problem(self.model, x, y, steps, self.loss_channels, fire)
        with section("hard evaluation"):
            hard_loss, accuracy = self._hard(problem)
        result = objective.loss_and_grad(self.model, problem, self.backend)
        if not np.isfinite(result.loss):
            raise GraphemeError(
                f"The loss became {result.loss}; try a smaller learning rate than {self.optimiser.lr}, or float64."
            )
        with section("optimiser"):
            parameters = {"logits": self.model.parameters_on(self.backend)}
            updated = self.optimiser.update(parameters, {"logits": result.grad}, self.backend)
            self.model.set_parameters(updated["logits"], self.backend)
        return Metrics(result.loss, hard_loss, result.loss / problem.compared, accuracy)

    def train_on(self, batch: GridBatch) -> Metrics:
        """Take one step on a batch."""
        return self.step(batch.x, batch.y, batch.steps, batch.fire)

    def state(self) -> Tensors:
        """Return model and optimiser as arrays."""
        optimiser = {f"optimiser.{name}": array for name, array in self.optimiser.state(self.backend).items()}
        return self.model.tensors() | optimiser

    def restore(self, state: Tensors) -> None:
        """Continue from what ``state`` returned."""
        prefix = "optimiser."
        self.model = DiffLogicCA.from_tensors({k: v for k, v in state.items() if not k.startswith(prefix)})
        self.model.place(self.backend)
        moments = {k.removeprefix(prefix): v for k, v in state.items() if k.startswith(prefix)}
        self.optimiser.restore(moments, self.backend)

    def _hard(self, problem: Problem) -> tuple[float, float]:
        """Return the loss and the accuracy of the hard circuit on a batch."""
        final = self.model.harden().run(problem.x, problem.steps, problem.fire, self.backend)
        wrong = np.where(problem.counted[:, None, None], final - problem.y, 0).astype(np.float64)
        right = problem.compared - int(np.count_nonzero(np.abs(wrong) > 0.5))
        return float((wrong * wrong).sum()), right / problem.compared
