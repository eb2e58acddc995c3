"""What a cortex says of an input, of a batch and of its training."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import final

from grapheme.graph.abstract import AbstractGraph


@final
@dataclass(frozen=True)
class BrainActivation:
    """How a brain took an input."""

    brain: str
    confidence: float
    weight: float = 0.0
    """Its share of the attention; 0 if it did not fire."""
    fired: bool = False
    reason: str = ""
    """Why it did not fire."""


@final
@dataclass(frozen=True)
class CollaborativeResult:
    """What the brains made of an input together."""

    input: str
    activations: tuple[BrainActivation, ...]
    """Of all brains, fired or not."""
    brain: str | None = None
    """Whose graph was edited: the one with the largest weight."""
    source: AbstractGraph | None = None
    output: AbstractGraph | None = None
    text: str | None = None
    """The output as the brain's domain writes it; None if it cannot be written."""

    @property
    def weights(self) -> dict[str, float]:
        """The attention on each brain that fired."""
        return {activation.brain: activation.weight for activation in self.activations if activation.fired}


@final
@dataclass(frozen=True)
class BatchLoss:
    """The losses of a batch, each a mean over its samples."""

    total: float
    structural: float
    collaboration: float
    samples: int


@final
@dataclass
class TrainingStats:
    """How a training has gone so far."""

    samples_processed: int = 0
    batches_processed: int = 0
    epoch_losses: list[float] = field(default_factory=list)
    activation_counts: dict[str, int] = field(default_factory=dict)
    avg_active_brains: float = 0.0
    total_time_secs: float = 0.0
