"""A brain: how it reads an input, how sure it is of that, and the network that it sees it with."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import final

import numpy as np

from grapheme.domains.domain import Domain
from grapheme.errors import GraphemeError
from grapheme.graph.abstract import AbstractGraph
from grapheme.transform.model import GraphEditNet, NetShape
from grapheme.transform.space import EditSpace
from grapheme.transform.vocabulary import Vocabulary


@final
@dataclass(frozen=True)
class Brain:
    """What a plugin announces: a domain to read in, and how much of what was read speaks for that domain.

    ``evidence`` returns how many parts of a graph speak for the domain, and how many do not. The graphs of a domain are
    directed. The encoder's parameters belong to a cortex; ``network`` makes them.
    """

    domain: Domain
    summary: str
    evidence: Callable[[AbstractGraph], tuple[int, int]]

    @property
    def name(self) -> str:
        """The name of the brain is that of its domain."""
        return self.domain.name

    def parse(self, text: str) -> AbstractGraph | None:
        """Return what the brain reads, or None if it cannot."""
        try:
            graph = self.domain.parse(text)
        except GraphemeError:
            return None
        return graph if graph.nodes and graph.directed else None

    def confidence(self, text: str) -> float:
        """Return how sure the brain is that an input is of its domain: 0 if it cannot read it, else up to 1."""
        graph = self.parse(text)
        return 0.0 if graph is None else self.confidence_in(graph)

    def confidence_in(self, graph: AbstractGraph) -> float:
        """Return the share of parts that speak for the domain, more careful the fewer there are (Laplace 1814)."""
        speaking, silent = self.evidence(graph)
        return (speaking + 0.5) / (speaking + silent + 1)

    def network(
        self, vocabulary: Vocabulary, space: EditSpace, shape: NetShape, dtype: str, rng: np.random.Generator
    ) -> GraphEditNet:
        """Return an encoder with parameters of its own, and the heads that decode in this brain's domain."""
        return GraphEditNet.build(vocabulary, space, shape, dtype=dtype, rng=rng)


def labels_in(graph: AbstractGraph, speaks: Callable[[object], bool]) -> tuple[int, int]:
    """Return how many nodes have a label that speaks for a domain, and how many have not."""
    return shares([speaks(label) for label in graph.node_labels or ()])


def shares(speaking: Sequence[bool]) -> tuple[int, int]:
    """Return how many are true, and how many are not."""
    return sum(speaking), len(speaking) - sum(speaking)
