"""Random numbers by purpose: a draw is a function of the seed and of what it is for, so a resumed run repeats it."""

from __future__ import annotations

from typing import Literal, get_args

import numpy as np

from grapheme.errors import InvalidInputError

Purpose = Literal["wiring", "data", "validation", "display", "rounding", "evolution", "repair"]
_PURPOSES: tuple[Purpose, ...] = get_args(Purpose)


def generator(seed: int, purpose: Purpose, *index: int) -> np.random.Generator:
    """Return a generator for one purpose, and one epoch or attempt of it."""
    if seed < 0:
        raise InvalidInputError(f"A seed is a whole number from 0 up; got {seed}.")
    return np.random.default_rng([seed, _PURPOSES.index(purpose), *index])
