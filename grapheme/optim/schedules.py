"""A learning rate that falls, so that what a large one finds quickly can settle."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import final


@final
@dataclass(frozen=True)
class Cooling:
    """From ``start`` to ``end`` along half a wave of the cosine, in ``steps`` steps; then it stays at ``end``."""

    start: float
    end: float
    steps: int

    def rate(self, step: int) -> float:
        """Return the learning rate of a step, counted from 0."""
        share = min(1.0, step / self.steps)
        return self.end + (self.start - self.end) * 0.5 * (1 + math.cos(math.pi * share))


LOWEST = 0.02
"""The share of a learning rate that is left in the end if it falls in the second half."""


def second_half(lr: float, step: int, steps: int | None) -> float:
    """Return a rate that stays for half of ``steps`` and then falls to ``LOWEST`` of itself; it stays if None."""
    if steps is None:
        return lr
    passed = max(0.0, 2 * step / steps - 1)
    return lr * max(LOWEST, 0.5 * (1 + math.cos(math.pi * min(1.0, passed))))
