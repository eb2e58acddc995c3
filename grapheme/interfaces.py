"""What the training loop, the checkpoints and the command line ask of a model family."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any

import numpy as np

from grapheme.backend import Backend

Tensors = dict[str, np.ndarray]

RECIPES = ("reliable", "paper")
"""The ways to train that may be asked for; the first is used unless another is."""


@dataclass(frozen=True)
class Metrics:
    """What one training step showed on its batch, before the update."""

    soft_loss: float
    """Summed over the batch, with soft gates."""
    hard_loss: float
    """The same with hard gates."""
    soft_mean: float
    """``soft_loss`` for each compared value."""
    accuracy: float
    """The share of compared values that the hard circuit gets right."""


class AbstractModel(ABC):
    """A thing with parameters that can be written down as named arrays and read again."""

    @abstractmethod
    def tensors(self) -> Tensors:
        """Return everything that the model is, as arrays of the host."""

    @abstractmethod
    def place(self, backend: Backend) -> None:
        """Move the parameters to where ``backend`` works."""


class AbstractTrainer(ABC):
    """Changes a model's parameters, a batch at a time."""

    model: AbstractModel
    backend: Backend

    @abstractmethod
    def train_on(self, batch: Any) -> Metrics:
        """Take one step on a batch of the model's own kind."""

    @abstractmethod
    def state(self) -> Tensors:
        """Return model and optimiser as arrays of the host, enough to go on as if never stopped."""

    @abstractmethod
    def restore(self, state: Tensors) -> None:
        """Continue from what ``state`` returned."""


class AbstractExperiment(ABC):
    """A named training task."""

    name: str
    summary: str
    epochs: int
    """Epochs of an attempt."""
    restarts: int = 0
    """How many more attempts there are while the task is not solved."""

    def with_recipe(self, name: str) -> AbstractExperiment:
        """Return the same task, trained by the recipe called ``name``; one that has only one way keeps to it."""
        return self

    @abstractmethod
    def trainer(self, seed: int, attempt: int, dtype: str, backend: Backend) -> AbstractTrainer:
        """Return a trainer with a fresh model; each attempt of a seed starts from other wires."""

    @abstractmethod
    def batch(self, seed: int, attempt: int, epoch: int) -> Any:
        """Return the batch of an epoch."""

    @abstractmethod
    def errors(self, model: Any, backend: Backend) -> int:
        """Return how many values the hard model gets wrong on the validation set; 0 is solved."""
