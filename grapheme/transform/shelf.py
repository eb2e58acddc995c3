"""Examples kept as one batch, from which any are taken at once: that is quicker than to join them again and again."""

from __future__ import annotations

from typing import final

import numpy as np

from grapheme.transform.supervision import Example

ABSENT = -1
PATIENCE = 4
"""All are joined anew once a share of 1 in so many had to be fetched from beside the shelf."""


@final
class Shelf:
    """Examples by number; those put there lately stand beside the joined ones until it is worth joining all anew."""

    def __init__(self, numbers: int) -> None:
        self.examples: dict[int, Example] = {}
        self.joined: Example | None = None
        self.places = np.full(numbers, ABSENT, np.int64)
        """(numbers,): of an example in the joined batch."""
        self.fetched = 0
        """How many were asked for since, and were not in it."""

    def __contains__(self, number: int) -> bool:
        return number in self.examples

    def __getitem__(self, number: int) -> Example:
        return self.examples[number]

    def put(self, number: int, example: Example) -> None:
        """Keep an example, in place of another of its number."""
        self.examples[number] = example
        self.places[number] = ABSENT

    def batch(self, chosen: np.ndarray) -> Example:
        """Return some examples, all of which were put here, as one."""
        places = self.places[chosen]
        if self.joined is not None and (places != ABSENT).all():
            return self.joined.take(places)
        self.fetched += int(np.count_nonzero(places == ABSENT))
        if PATIENCE * self.fetched >= len(self.examples) > len(chosen):
            self._join()
        return Example.join([self.examples[i] for i in chosen.tolist()])

    def _join(self) -> None:
        numbers = np.array(sorted(self.examples))
        self.joined = Example.join([self.examples[i] for i in numbers.tolist()])
        self.places[numbers] = np.arange(len(numbers))
        self.fetched = 0
