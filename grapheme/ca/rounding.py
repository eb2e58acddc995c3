"""Rounds a random share of the gates in each training step, and more of them as the circuit copes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np

from grapheme.arrays import Bits
from grapheme.errors import InvalidInputError


@final
@dataclass(frozen=True)
class Rounding:
    """The share of gates that are rounded: ``least`` at first.

    It goes up by ``rise``, at most to ``most``, after a step with a mean loss below ``tolerance``, and down by ``fall``
    after any other. With none rounded the circuit is soft; with all rounded it is the hard circuit. In between, each
    gate learns among others that already are what they will be, so nothing comes to rest on values between 0 and 1,
    which the hard circuit does not have.
    """

    least: float
    most: float
    tolerance: float = 0.02
    rise: float = 0.01
    fall: float = 0.005

    def __post_init__(self) -> None:
        if not 0 <= self.least <= self.most <= 1:
            raise InvalidInputError(
                f"The share of gates that are rounded goes from 0 to 1; got {self.least} to {self.most}."
            )

    def next_share(self, share: float, soft_mean: float) -> float:
        """Return the share for the step after one with the mean loss ``soft_mean``."""
        change = self.rise if soft_mean < self.tolerance else -self.fall
        return min(self.most, max(self.least, share + change))


NO_ROUNDING = Rounding(0.0, 0.0)


def constant(share: float) -> Rounding:
    """Return the rounding of the same share in every step."""
    return Rounding(share, share)


def rounded_gates(share: float, rows: int, rng: np.random.Generator) -> Bits | None:
    """Return which gates (rows, 1) are rounded in a step, or None for none of them."""
    return rng.random((rows, 1)) < share if share > 0 else None
