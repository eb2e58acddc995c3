"""The experiment ``k-core``: graphs of twelve nodes to learn from, and larger ones to be tested on."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import final

import numpy as np

from grapheme.arrays import Bits
from grapheme.backend import Backend
from grapheme.models.evaluation import Evaluation
from grapheme.models.model import Score
from grapheme.rng import generator
from grapheme.training.experiment import AbstractExperiment
from grapheme_kcore.graphs import Graphs, draw
from grapheme_kcore.model import MessagePassing
from grapheme_kcore.trainer import MessagePassingTrainer

NODES = 12
"""Nodes of a graph in training: small, so that gradients pass through few rounds."""
BATCH, VALIDATION, TEST = 64, 512, 64
"""Graphs of a training step, of the validation set, and of each test."""
TESTED = (NODES, 24, 48, 96)
"""Nodes of the graphs of each test."""


@final
@dataclass(frozen=True, kw_only=True)
class KCore(AbstractExperiment):
    """Message passing that learns which nodes are in the k-core."""

    core: int = 2
    width: int = 8
    max_steps: int = 3000
    lr: float = 0.01
    name: str = "k-core"
    mistakes: str = "wrong nodes"
    validate_every: int = 50

    def trainer(self, seed: int, attempt: int, dtype: str, backend: Backend) -> MessagePassingTrainer:
        """Return a trainer with a fresh model."""
        model = MessagePassing.build(self.width, dtype, generator(seed, "wiring", attempt))
        return MessagePassingTrainer(model, self.lr, self.max_steps, backend)

    def batch(self, seed: int, attempt: int, step: int) -> Graphs:
        """Return new graphs for each step; a function of its arguments alone, so that a resumed run repeats it."""
        return draw(generator(seed, "data", attempt, step), BATCH, NODES, self.core)

    def score(self, model: MessagePassing, backend: Backend) -> Score:
        """Return how many nodes of the validation set are wrong."""
        return Score(int(_wrong(model, self.validation, backend).sum()))

    @cached_property
    def validation(self) -> Graphs:
        """The same graphs for all seeds, so that runs are judged alike."""
        return draw(generator(0, "validation"), VALIDATION, NODES, self.core)

    def evaluate(self, model: MessagePassing, backend: Backend, seed: int) -> Evaluation:
        """Return how the model does on graphs that it never saw, as large as those in training and larger."""
        rows = [self._tested(model, nodes, backend, seed) for nodes in TESTED]
        return Evaluation({"experiment": self.name, "core": self.core}, tuple(rows))

    def _tested(self, model: MessagePassing, nodes: int, backend: Backend, seed: int) -> dict[str, object]:
        wrong = _wrong(model, draw(generator(seed, "display", nodes), TEST, nodes, self.core), backend)
        exact = float((~wrong.any(axis=1)).mean())
        return {"nodes": nodes, "graphs": TEST, "wrong nodes": int(wrong.sum()), "exact graphs": exact}

    def hints(self, folder: str) -> dict[str, str]:
        """Return how to see what was learnt."""
        return {"Look at it": f"grapheme info {folder}", "Test it": f"grapheme evaluate {folder}"}


def samples() -> Iterator[str]:
    """Yield three small graphs by their edges, and the nodes of their 2-cores: some of the nodes, not all."""
    drawn = zip(*draw(generator(0, "display"), 32, 7, 2), strict=True)
    for adjacency, members in [(a, m) for a, m in drawn if 0 < m.sum() < m.size][:3]:
        edges = " ".join(f"{one}-{other}" for one, other in np.argwhere(np.triu(adjacency)))
        yield f"{edges}  ->  {' '.join(map(str, np.flatnonzero(members)))}"


def _wrong(model: MessagePassing, graphs: Graphs, backend: Backend) -> Bits:
    """Return which nodes (graphs, nodes) the model gets wrong."""
    return np.asarray(model.members(graphs.adjacency, backend) != graphs.members)
