"""Draws pairs until there are enough different ones for learning, choosing and judging."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import final

import numpy as np

from grapheme.datasets.fingerprint import fingerprints
from grapheme.datasets.pairs import GraphTask, Pair, PairSets
from grapheme.domains.domain import Domain
from grapheme.errors import InvalidInputError
from grapheme.rng import generator

ROUNDS = 40
"""How often more pairs are drawn before a task is said to have too few."""

Draw = Callable[[np.random.Generator], Pair]


@final
@dataclass(frozen=True)
class Sizes:
    """How many pairs each set has."""

    train: int = 1500
    validation: int = 200
    test: int = 300

    @property
    def all(self) -> int:
        """How many pairs there are in all."""
        return self.train + self.validation + self.test


def draw_sets(draw: Draw, sizes: Sizes, seed: int) -> PairSets:
    """Return sets of pairs, all sources of which are different graphs, as a function of the seed alone."""
    rng = generator(seed, "data")
    found: list[Pair] = []
    seen: set[int] = set()
    for _ in range(ROUNDS):
        missing = sizes.all - len(found)
        found += _unseen([draw(rng) for _ in range(missing + missing // 4 + 16)], seen)
        if len(found) >= sizes.all:
            return _cut(found, sizes)
    raise InvalidInputError(f"There are only {len(found)} different pairs; {sizes.all} were asked for.")


def drawn_task(name: str, summary: str, domain: Domain, draw: Draw, sizes: Sizes) -> GraphTask:
    """Return the task of pairs that ``draw`` draws."""
    return GraphTask(name, summary, domain, partial(draw_sets, draw, sizes), draw)


def written(domain: Domain, draw: Callable[[np.random.Generator], tuple[str, str]]) -> Draw:
    """Return how to draw pairs of graphs, given how to draw pairs of texts."""

    def draw_pair(rng: np.random.Generator) -> Pair:
        source, target = draw(rng)
        return Pair(domain.parse(source), domain.parse(target), (source, target))

    return draw_pair


def any_of(draws: Sequence[Draw]) -> Draw:
    """Return how to draw from several tasks, all as often as each other."""
    return lambda rng: draws[int(rng.integers(len(draws)))](rng)


def _unseen(pairs: Sequence[Pair], seen: set[int]) -> Iterable[Pair]:
    """Return the pairs whose sources differ from all before, and note them."""
    fresh = []
    for pair, number in zip(pairs, fingerprints([pair.source for pair in pairs]).tolist(), strict=True):
        if number not in seen:
            seen.add(number)
            fresh.append(pair)
    return fresh


def _cut(pairs: Sequence[Pair], sizes: Sizes) -> PairSets:
    chosen = sizes.train + sizes.validation
    return PairSets(tuple(pairs[: sizes.train]), tuple(pairs[sizes.train : chosen]), tuple(pairs[chosen : sizes.all]))
