"""What the training loop, checkpoints and command line ask of a model family, and what a graph is to all of them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, NamedTuple, Self

import numpy as np

from grapheme.arrays import Ints
from grapheme.backend import Backend
from grapheme.csr import Csr, Labels, Offsets
from grapheme.errors import InvalidInputError

Tensors = dict[str, np.ndarray]

RECIPES = ("reliable", "paper")
"""The ways to train that may be asked for; the first is used unless another is."""


@dataclass(frozen=True)
class Metrics:
    """What one training step showed on its batch, before the update."""

    soft_loss: float
    """Summed over the batch: of an automaton with soft gates."""
    hard_loss: float
    """The same once everything is decided: with hard gates, or the number of graphs that are wrong."""
    soft_mean: float
    """``soft_loss`` for each compared value, or each graph."""
    accuracy: float
    """The share of compared values, or of graphs, that are right once everything is decided."""


class Score(NamedTuple):
    """How a model did on the validation set; of two the smaller is the better one."""

    errors: int
    """How many values the hard model gets wrong; 0 is solved."""
    weakness: float = 0
    """By how much it falls short of what else is asked of it, as to withstand damage; infinite if not looked at."""


@dataclass(frozen=True, eq=False)
class AbstractGraph(ABC):
    """Nodes 0 to ``nodes - 1`` and edges between them, labelled or not: what every graph operation takes."""

    csr: Csr

    @classmethod
    @abstractmethod
    def from_graph(cls, graph: AbstractGraph) -> Self:
        """Return the same nodes, edges and labels as a graph of this kind; refuses one that is none."""

    @property
    def nodes(self) -> int:
        """How many nodes there are."""
        return self.csr.nodes

    @property
    def edges(self) -> int:
        """How many edges there are."""
        return self.csr.edges

    @property
    def edge_list(self) -> Ints:
        """The edges (edges, 2) in ascending order; those of an undirected graph once, the smaller end first."""
        return self.csr.edge_list

    @property
    def directed(self) -> bool:
        """Whether an edge leads one way only."""
        return self.csr.directed

    @property
    def indptr(self) -> Offsets:
        """Where the row of each node starts in ``indices`` (nodes + 1,) int64."""
        return self.csr.indptr

    @property
    def indices(self) -> Ints:
        """The nodes (arcs,) int32 that the arcs lead to, row by row."""
        return self.csr.indices

    @property
    def node_labels(self) -> Labels | None:
        """A label for each node, or None."""
        return self.csr.node_labels

    @property
    def edge_labels(self) -> Labels | None:
        """A label for each row of ``edge_list``, or None."""
        return self.csr.edge_labels

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, AbstractGraph) or type(self) is not type(other):
            return NotImplemented
        return (
            (self.directed, self.node_labels, self.edge_labels)
            == (other.directed, other.node_labels, other.edge_labels)
            and np.array_equal(self.indptr, other.indptr)
            and np.array_equal(self.indices, other.indices)
        )

    def __hash__(self) -> int:
        return hash((self.directed, self.node_labels, self.edge_labels, self.indptr.tobytes(), self.indices.tobytes()))

    def __repr__(self) -> str:
        kind = "directed" if self.directed else "undirected"
        return f"{type(self).__name__}({self.nodes} nodes, {self.edges} {kind} edges)"


class AbstractModel(ABC):
    """A thing with parameters that can be written down as named arrays and read again."""

    @abstractmethod
    def tensors(self) -> Tensors:
        """Return everything that the model is, as arrays of the host."""

    @abstractmethod
    def place(self, backend: Backend) -> None:
        """Move the parameters to where ``backend`` works."""


class AbstractTrainer(ABC):
    """Changes a model's parameters, a batch at a time."""

    model: AbstractModel
    backend: Backend

    @abstractmethod
    def train_on(self, batch: Any) -> Metrics:
        """Take one step on a batch of the model's own kind."""

    @abstractmethod
    def state(self) -> Tensors:
        """Return model and optimiser as arrays of the host, enough to go on as if never stopped."""

    @abstractmethod
    def restore(self, state: Tensors) -> None:
        """Continue from what ``state`` returned."""


class AbstractExperiment(ABC):
    """A named training task."""

    name: str
    summary: str
    epochs: int
    """Epochs of an attempt."""
    restarts: int = 0
    """How many more attempts there are while the task is not solved."""
    attached: Mapping[str, bytes] = MappingProxyType({})
    """Files, by name, that a run's folder keeps so that the experiment can be made again from it."""
    mistakes: str = "wrong bits"
    """What ``errors`` counts."""
    checked_every: int | None = None
    """Epochs between looks at the validation set; None: whenever a batch went as well as any before it."""
    refined_every: int | None = None
    """Epochs between further looks, at which a model is refined though it is no better than the best before it."""

    repaired_every: int | None = None
    """Epochs between attempts to mend what a model still gets wrong; None: there are none."""

    def with_recipe(self, name: str) -> AbstractExperiment:
        """Return the same task, trained by the recipe called ``name``; one that has only one way keeps to it."""
        return self

    def with_epochs(self, epochs: int) -> AbstractExperiment:
        """Return the same task with so many epochs; one whose steps do not depend on how many follow stays the same."""
        return self

    def with_loss(self, name: str) -> AbstractExperiment:
        """Return the same task, learnt by making the loss called ``name`` small."""
        raise InvalidInputError(f"The experiment '{self.name}' has one loss only; leave out --loss.")

    def hints(self, folder: str) -> dict[str, str]:
        """Return commands that show what was learnt, by what they are for."""
        return {"Look at it": f"grapheme info {folder}"}

    @abstractmethod
    def trainer(self, seed: int, attempt: int, dtype: str, backend: Backend) -> AbstractTrainer:
        """Return a trainer with a fresh model; each attempt of a seed starts from other wires."""

    @abstractmethod
    def batch(self, seed: int, attempt: int, epoch: int) -> Any:
        """Return the batch of an epoch."""

    def score(self, model: Any, backend: Backend) -> Score:
        """Return how the model does; one that makes no error is trained no longer."""
        return Score(self.errors(model, backend))

    def repaired(self, model: Any, score: Score, backend: Backend) -> tuple[AbstractModel, Score]:
        """Return a model that gets less wrong, and its score, or what was given; the given model stays as it is."""
        return model, score

    def refined(self, model: Any, score: Score, backend: Backend) -> tuple[AbstractModel, Score]:
        """Return what to keep of a promising model, and its score: itself, or what is as good or better."""
        return model, score

    def polishings(self, backend: Backend) -> int:
        """Return how often it is tried in an attempt to make a right but weak model less weak."""
        return 0

    def polished(self, model: Any, time: int, backend: Backend) -> tuple[AbstractModel, Score]:
        """Return what may be better than a right but weak model, and its score; ``time`` counts from 0."""
        return model, self.score(model, backend)

    @abstractmethod
    def errors(self, model: Any, backend: Backend) -> int:
        """Return how many values the hard model gets wrong on the validation set; 0 is solved."""
