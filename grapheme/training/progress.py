"""How far a run has come, and when it ends."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, Self

from grapheme.models.model import Score

if TYPE_CHECKING:
    from grapheme.training.run import Settings

FURTHER_ATTEMPTS = 2
"""How many attempts, the one that solved the task among them, look for a robust model; the best one is kept."""


@dataclass
class Progress:
    """How far a run has come."""

    attempt: int = 0
    step: int = 0
    least_hard_loss: float | None = None
    """The least hard loss of a batch in this attempt."""
    fewest_errors: int | None = None
    """The fewest errors on the validation set in this attempt, before callbacks improved on them."""
    least_errors: int | None = None
    """The fewest errors on the validation set in the whole run: those of the best checkpoint."""
    least_penalty: float = math.inf
    """The robustness penalty of the best checkpoint."""
    solved_at: tuple[int, int] | None = None
    """The attempt, and its step, that made the first checkpoint without errors; both counted from 1."""
    rounds: int = 0
    """How many rounds callbacks have worked on the model without errors of this attempt."""
    rounds_left: int | None = None
    """How many more they may; None before this attempt made a model without errors."""

    @classmethod
    def of(cls, facts: Mapping[str, Any]) -> Self:
        """Return what a checkpoint says; that of another version may say more."""
        renamed = {EARLIER.get(name, name): value for name, value in facts.items()}
        progress = cls(**{field.name: renamed[field.name] for field in fields(cls) if field.name in renamed})
        if progress.solved_at is not None:
            attempt, step = progress.solved_at  # a list, where it comes from a file
            progress.solved_at = attempt, step
        return progress

    @property
    def best(self) -> Score | None:
        """The score of the best checkpoint, if there is one."""
        return None if self.least_errors is None else Score(self.least_errors, self.least_penalty)

    @property
    def solved(self) -> bool:
        """Whether the best checkpoint makes no error."""
        return self.least_errors == 0

    @property
    def robust(self) -> bool:
        """Whether it makes none and passes the robustness tests too, so that nothing is left to be trained for."""
        return self.solved and self.least_penalty == 0

    @property
    def known_penalty(self) -> float | None:
        """The penalty of the best checkpoint, if it was put to the robustness tests."""
        return self.least_penalty if math.isfinite(self.least_penalty) else None

    def attempt_over(self, settings: Settings) -> bool:
        """Say whether this attempt ends here."""
        return self.step >= settings.max_steps if self.rounds_left is None else self.rounds_left == 0

    def finished(self, settings: Settings) -> bool:
        """Say whether the run ends here: with a robust model, or with one that nothing more can be done about."""
        solved_in = self.attempt + 1 if self.solved_at is None else self.solved_at[0]
        last = self.attempt == settings.restarts or self.attempt + 1 == solved_in + FURTHER_ATTEMPTS
        nobody_refines = self.rounds_left == self.rounds == 0
        return self.robust or nobody_refines or (last and self.attempt_over(settings))

    def next_attempt(self) -> None:
        """Forget what was only of this attempt."""
        self.attempt, self.step, self.least_hard_loss, self.fewest_errors = self.attempt + 1, 0, None, None
        self.rounds, self.rounds_left = 0, None


EARLIER = {
    "epoch": "step",
    "least_weakness": "least_penalty",
    "polishings": "rounds",
    "polishings_left": "rounds_left",
}
"""What fields were called in checkpoints of version 0.1."""
