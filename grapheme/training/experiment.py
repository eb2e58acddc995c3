"""What the training loop asks of an experiment."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from grapheme.backend import Backend
from grapheme.errors import InvalidInputError
from grapheme.models.model import AbstractModel, AbstractTrainer, Score

RECIPES = ("reliable", "paper")
"""The ways to train that may be asked for; the first is used unless another is."""


class AbstractExperiment(ABC):
    """A named training task."""

    name: str
    summary: str
    epochs: int
    """Epochs of an attempt."""
    restarts: int = 0
    """How many more attempts there are while the task is not solved."""
    attached: Mapping[str, bytes] = MappingProxyType({})
    """Files, by name, that a run's folder keeps so that the experiment can be made again from it."""
    mistakes: str = "wrong bits"
    """What ``errors`` counts."""
    checked_every: int | None = None
    """Epochs between looks at the validation set; None: whenever a batch went as well as any before it."""
    refined_every: int | None = None
    """Epochs between further looks, at which a model is refined though it is no better than the best before it."""

    repaired_every: int | None = None
    """Epochs between attempts to mend what a model still gets wrong; None: there are none."""

    def with_recipe(self, name: str) -> AbstractExperiment:
        """Return the same task, trained by the recipe called ``name``; one that has only one way keeps to it."""
        return self

    def with_epochs(self, epochs: int) -> AbstractExperiment:
        """Return the same task with so many epochs; one whose steps do not depend on how many follow stays the same."""
        return self

    def with_loss(self, name: str) -> AbstractExperiment:
        """Return the same task, learnt by making the loss called ``name`` small."""
        raise InvalidInputError(f"The experiment '{self.name}' has one loss only; leave out --loss.")

    def hints(self, folder: str) -> dict[str, str]:
        """Return commands that show what was learnt, by what they are for."""
        return {"Look at it": f"grapheme info {folder}"}

    @abstractmethod
    def trainer(self, seed: int, attempt: int, dtype: str, backend: Backend) -> AbstractTrainer:
        """Return a trainer with a fresh model; each attempt of a seed starts from other wires."""

    @abstractmethod
    def batch(self, seed: int, attempt: int, epoch: int) -> Any:
        """Return the batch of an epoch."""

    def score(self, model: Any, backend: Backend) -> Score:
        """Return how the model does; one that makes no error is trained no longer."""
        return Score(self.errors(model, backend))

    def repaired(self, model: Any, score: Score, backend: Backend) -> tuple[AbstractModel, Score]:
        """Return a model that gets less wrong, and its score, or what was given; the given model stays as it is."""
        return model, score

    def refined(self, model: Any, score: Score, backend: Backend) -> tuple[AbstractModel, Score]:
        """Return what to keep of a promising model, and its score: itself, or what is as good or better."""
        return model, score

    def polishings(self, backend: Backend) -> int:
        """Return how often it is tried in an attempt to make a right but weak model less weak."""
        return 0

    def polished(self, model: Any, time: int, backend: Backend) -> tuple[AbstractModel, Score]:
        """Return what may be better than a right but weak model, and its score; ``time`` counts from 0."""
        return model, self.score(model, backend)

    @abstractmethod
    def errors(self, model: Any, backend: Backend) -> int:
        """Return how many values the hard model gets wrong on the validation set; 0 is solved."""
