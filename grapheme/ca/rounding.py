"""Rounds a random share of the gates in each training step."""

from __future__ import annotations

import numpy as np

from grapheme.arrays import Bits
from grapheme.errors import InvalidInputError


def checked_share(share: float) -> float:
    """Return a share of gates from 0 to 1."""
    if not 0 <= share <= 1:
        raise InvalidInputError(f"The share of gates that are rounded is from 0 to 1; got {share}.")
    return share


def rounded_gates(share: float, rows: int, rng: np.random.Generator) -> Bits | None:
    """Return which gates (rows, 1) are rounded in a step, or None for none of them.

    With none rounded the circuit is soft; with all rounded it is the hard circuit. In between, each gate learns among
    others that already are what they will be, so nothing comes to rest on values between 0 and 1, which the hard
    circuit does not have.
    """
    return rng.random((rows, 1)) < share if share > 0 else None
