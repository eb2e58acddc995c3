"""What an automaton is to learn: grids to start from and to reach, and what else is asked of its circuit."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from grapheme.arrays import Bits
from grapheme.kernels.cell import Boundary
from grapheme.rng import generator

Start = Callable[[np.random.Generator, int, int, int, int], Bits]
"""(rng, samples, channels, height, width) -> grids to start from."""

Target = Callable[[Bits], np.ndarray]
"""Start grids -> the loss channels of the grids to reach, (batch, loss channels, height, width)."""


@dataclass(frozen=True, kw_only=True)
class AutomatonTask:
    """Grids, timing and requirements; the field names are those of the published table of settings."""

    name: str
    channels: int
    height: int
    width: int
    boundary: Boundary
    steps: int
    """Steps of the automaton from a start to its target."""
    start: Start
    target: Target
    validation: Callable[[AutomatonTask], Bits]
    """Returns the start grids from which a solved automaton makes no error."""
    loss_channels: tuple[int, ...] = (0,)
    fire_probability: float | None = None
    """How often a cell updates in a step; always, if None."""
    grows: bool = False
    """Whether it must do as well on larger grids, in either phase, and around and after damage."""
    withstands: float | None = None
    """The share of cells that may be wrong while a square of cells goes dark in every step; None: not asked."""
    gates: int | None = None
    """How many gates a circuit may have without a penalty; any number, if None."""

    def steps_on(self, side: int) -> int:
        """Return how many steps a pattern takes on a grid of another size."""
        return -(-self.steps * side // max(self.height, self.width))

    def mask(self, rng: np.random.Generator, steps: int, grids: Bits) -> Bits | None:
        """Return which cells fire in each step, or None if all always do."""
        if self.fire_probability is None:
            return None
        return rng.random((steps, len(grids), *grids.shape[2:])) < self.fire_probability


def random_bits(rng: np.random.Generator, samples: int, channels: int, height: int, width: int) -> Bits:
    """Start from random bits in every channel."""
    return rng.integers(0, 2, (samples, channels, height, width)).astype(np.bool_)


def fresh_starts(samples: int) -> Callable[[AutomatonTask], Bits]:
    """Validate on so many starts that no training run draws."""
    return lambda task: task.start(generator(0, "validation", 0), samples, task.channels, task.height, task.width)
