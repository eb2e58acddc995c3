"""Trains a network that edits graphs: Adam on the mean loss of a batch."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import final

import numpy as np
from numpy.typing import ArrayLike

from grapheme.backend import Backend
from grapheme.backend.selection import resolve
from grapheme.errors import GraphemeError, InvalidInputError
from grapheme.models.model import AbstractTrainer, Metrics, Tensors
from grapheme.optim.adamw import AdamW
from grapheme.optim.schedules import second_half
from grapheme.timing import section
from grapheme.transform.lessons import Lessons
from grapheme.transform.losses import AbstractLoss
from grapheme.transform.model import GraphEditNet
from grapheme.transform.objective import loss_and_grad


@final
@dataclass(frozen=True)
class Course:
    """How a network is taught."""

    lr: float = 0.001
    weight_decay: float = 0.0
    steps: int | None = None
    """In the second half of so many steps the learning rate falls; None: it stays."""
    realign_every: int | None = None
    """After so many steps pairs that are not learnt are aligned anew; never, if None."""
    frozen: bool = False
    """Whether nothing is changed at all, to see what the data alone gives away."""

    def rate(self, step: int) -> float:
        """Return the learning rate of a step."""
        return second_half(self.lr, step, self.steps)


@final
class EditTrainer(AbstractTrainer):
    """Changes ``model`` in place; parameters and optimiser stay where the backend works."""

    model: GraphEditNet

    def __init__(
        self,
        model: GraphEditNet,
        lessons: Lessons,
        course: Course | None = None,
        backend: Backend | str | None = None,
    ) -> None:
        self.model, self.lessons, self.backend = model, lessons, resolve(backend)
        self.course = course or Course()
        self.optimiser = AdamW(self.course.lr, weight_decay=self.course.weight_decay)
        model.place(self.backend)

    @property
    def loss(self) -> AbstractLoss:
        """What is made small."""
        return self.lessons.loss

    def train_on(self, batch: ArrayLike) -> Metrics:
        """Take one step on the examples of these numbers; the losses are those before it."""
        chosen = np.asarray(batch, np.int64)
        if not chosen.size:
            raise InvalidInputError("A batch has at least one example.")
        with section("alignment"):
            every = self.course.realign_every
            if every is not None and self.optimiser.steps and self.optimiser.steps % every == 0:
                self.lessons.realign(self.model, self.backend)
            examples = self.lessons.batch(chosen)
        result = loss_and_grad(self.model, examples, self.backend, self.loss)
        if not math.isfinite(result.loss):
            raise GraphemeError(
                f"The loss became {result.loss}; try a smaller learning rate than {self.course.lr}, or float64."
            )
        with section("update"):
            self._update(result.grads, len(examples))
        wrong = int(np.count_nonzero(~result.right))
        return Metrics(result.loss, float(wrong), result.loss / len(examples), 1 - wrong / len(examples))

    def state(self) -> Tensors:
        """Return model, optimiser and alignments as arrays."""
        optimiser = {f"optimiser.{name}": array for name, array in self.optimiser.state(self.backend).items()}
        lessons = {f"lessons.{name}": array for name, array in self.lessons.state().items()}
        return self.model.tensors() | optimiser | lessons

    def restore(self, state: Tensors) -> None:
        """Continue from what ``state`` returned."""
        self.model = GraphEditNet.from_tensors(state)
        self.model.place(self.backend)
        self.optimiser.restore(_under("optimiser.", state), self.backend)
        self.lessons.restore(_under("lessons.", state))

    def _update(self, grads: Tensors, examples: int) -> None:
        if self.course.frozen:
            self.optimiser.steps += 1
            return
        self.optimiser.lr = self.course.rate(self.optimiser.steps)
        mean = {name: grad / examples for name, grad in grads.items()}
        self.model.set_parameters(self.optimiser.update(self.model.on(self.backend), mean, self.backend), self.backend)


def _under(prefix: str, state: Tensors) -> Tensors:
    return {name.removeprefix(prefix): array for name, array in state.items() if name.startswith(prefix)}
