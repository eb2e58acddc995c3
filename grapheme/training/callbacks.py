"""What may happen beside the steps of gradient descent: repairs, pruning, evolution, and whatever else one needs."""

from __future__ import annotations

from abc import ABC
from dataclasses import dataclass
from typing import Any

from grapheme.backend import Backend
from grapheme.models.model import AbstractModel, Score


@dataclass(frozen=True)
class Candidate:
    """A model that may become the best one, and how it does on the validation set."""

    model: AbstractModel
    score: Score


class AbstractCallback(ABC):
    """Takes part in a run. All methods do nothing unless a callback defines them.

    A callback never changes the model that it is given: it returns another one, or the same.
    """

    name: str
    """Names its time in ``--timing`` and its state in a checkpoint; of one run's callbacks no two may agree."""
    every: int | None = None
    """Steps between looks at the validation set that the callback asks for, whatever the losses are."""
    revisits: bool = False
    """Whether a model at such a look counts as promising, though it has no fewer errors than one before it."""
    rounds: int = 0
    """How often at most, in an attempt, ``on_round`` is called for a model without errors that is not robust."""

    def due(self, step: int) -> bool:
        """Say whether the callback asks for a look at the validation set after ``step``, counted from 0."""
        return self.every is not None and (step + 1) % self.every == 0

    def on_validation(self, candidate: Candidate, step: int, backend: Backend) -> Candidate:
        """Return what to go on with of a model that was just scored."""
        return candidate

    def on_promising(self, candidate: Candidate, step: int, backend: Backend) -> Candidate:
        """Return what to keep of a model with fewer errors than any before it in this attempt."""
        return candidate

    def on_round(self, candidate: Candidate, number: int, backend: Backend) -> Candidate:
        """Return what may be more robust than a model without errors; rounds are counted from 0."""
        return candidate

    def state(self) -> dict[str, Any]:
        """Return what the callback must remember, as JSON has it; a checkpoint keeps it."""
        return {}

    def restore(self, state: dict[str, Any]) -> None:
        """Continue from what ``state`` returned."""
        return
