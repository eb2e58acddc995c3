"""How a cortex is shaped and trained."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

from grapheme.errors import InvalidInputError


@final
@dataclass(frozen=True)
class CollaborativeCortexConfig:
    """All settings, with the values that are used unless others are given."""

    learning_rate: float = 0.001
    embed_dim: int = 64
    hidden_dim: int = 128
    """Width of the attention's hidden layer."""
    activation_threshold: float = 0.2
    """A brain fires if it is at least so confident."""
    max_active_brains: int = 0
    """At most so many fire, the most confident ones; 0 is all."""
    structural_weight: float = 1.0
    collaboration_weight: float = 0.3
    parallel: bool = True
    num_workers: int = 0
    """Threads; 0 is one for each core."""
    batch_size: int = 32

    def __post_init__(self) -> None:
        counts = {"embed_dim": self.embed_dim, "hidden_dim": self.hidden_dim, "batch_size": self.batch_size}
        for name, value in counts.items():
            if value < 1:
                raise InvalidInputError(f"Give {name} from 1 up; got {value}.")
        for name, value in (("max_active_brains", self.max_active_brains), ("num_workers", self.num_workers)):
            if value < 0:
                raise InvalidInputError(f"Give {name} from 0 up, 0 being all; got {value}.")
        if not 0 <= self.activation_threshold <= 1:
            raise InvalidInputError(f"Give activation_threshold from 0 to 1; got {self.activation_threshold}.")
        if not self.learning_rate > 0 or min(self.structural_weight, self.collaboration_weight) < 0:
            raise InvalidInputError("Give learning_rate above 0 and weights of losses from 0 up.")

    @property
    def threads(self) -> int | None:
        """How many threads kernels run on; None is one for each core."""
        return (self.num_workers or None) if self.parallel else 1
