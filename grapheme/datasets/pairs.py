"""What a task is: pairs of graphs, before and after, and a way to write such graphs down."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import final

import numpy as np

from grapheme.domains.domain import Domain
from grapheme.graph.abstract import AbstractGraph


@final
@dataclass(frozen=True)
class Pair:
    """A graph and what it becomes; ``text`` is how the two are written, where they came from something written."""

    source: AbstractGraph
    target: AbstractGraph
    text: tuple[str, str] | None = None


@final
@dataclass(frozen=True)
class PairSets:
    """Pairs to learn from, to choose by and to judge by; no source of one is the same graph as a source of another."""

    train: tuple[Pair, ...]
    validation: tuple[Pair, ...]
    test: tuple[Pair, ...]


@final
@dataclass(frozen=True)
class GraphTask:
    """A named function of graphs, to be learnt from pairs that ``generate(seed)`` makes."""

    name: str
    summary: str
    domain: Domain
    generate: Callable[[int], PairSets]
    draw: Callable[[np.random.Generator], Pair] | None = None
    """Draws a single pair, where pairs are drawn; None where they come from a file."""
