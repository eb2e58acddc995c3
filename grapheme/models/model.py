"""What training, checkpoints and the command line ask of a model family."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np

from grapheme.backend import Backend

Tensors = dict[str, np.ndarray]


def json_tensor(record: Any) -> np.ndarray:
    """Return a record as JSON in an array (bytes,) uint8, to be kept beside parameters."""
    return np.frombuffer(json.dumps(record).encode(), np.uint8)


def from_json_tensor(tensor: np.ndarray) -> Any:
    """Return the record that ``json_tensor`` wrote."""
    return json.loads(tensor.tobytes())


@dataclass(frozen=True)
class Metrics:
    """What one training step showed on its batch, before the update."""

    soft_loss: float
    """Summed over the batch: of an automaton with soft gates."""
    hard_loss: float
    """The same once everything is decided: with hard gates, or the number of graphs that are wrong."""
    soft_mean: float
    """``soft_loss`` for each compared value, or each graph."""
    accuracy: float
    """The share of compared values, or of graphs, that are right once everything is decided."""


class Score(NamedTuple):
    """How a model did on the validation set; of two the smaller is the better one."""

    errors: int
    """How many values the hard model gets wrong; 0 is solved."""
    penalty: float = 0
    """By how much it fails the robustness tests, as to withstand damage; infinite if not looked at."""


class AbstractModel(ABC):
    """A thing with parameters that can be written down as named arrays and read again."""

    kind: ClassVar[str]
    """The family's name, by which ``ModelSpec`` finds the way to read it again."""

    @abstractmethod
    def tensors(self) -> Tensors:
        """Return everything that the model is, as arrays of the host."""

    @abstractmethod
    def place(self, backend: Backend) -> None:
        """Move the parameters to where ``backend`` works."""

    def describe(self) -> dict[str, str]:
        """Return facts about the model for people, by what they are about; ``grapheme info`` shows them."""
        return {}


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
