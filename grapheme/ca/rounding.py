"""Rounds a random share of the gates' entries in each training step, more of them as the circuit copes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from grapheme.arrays import Bits


@dataclass(frozen=True)
class Rounding:
    """The share goes up by ``rise`` after a step with a mean loss below ``tolerance``, else down by ``fall``.

    With nothing rounded the circuit is soft; with everything rounded it is the hard circuit. In between, each gate
    learns among others that are already what they will be, which closes the gap between the two.
    """

    tolerance: float = 0.05
    rise: float = 0.01
    fall: float = 0.005
    least: float = 0.0
    most: float = 1.0

    def next_share(self, share: float, soft_mean: float) -> float:
        """Return the share for the step after one with the mean loss ``soft_mean``."""
        change = self.rise if soft_mean < self.tolerance else -self.fall
        return min(self.most, max(self.least, share + change))


def rounded_entries(share: float, rows: int, entries: int, rng: np.random.Generator) -> Bits | None:
    """Return which entries (rows, entries) are rounded, or None for none of them."""
    return rng.random((rows, entries)) < share if share > 0 else None
