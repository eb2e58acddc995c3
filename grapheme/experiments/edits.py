"""Experiments that learn to turn one graph into another: each task of pairs, and how a network learns it."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, final

import numpy as np

from grapheme.backend import Backend
from grapheme.datasets import GraphTask, Pair, PairSets, task
from grapheme.datasets.files import KEPT, kept_or_given, read_task
from grapheme.datasets.life import boards
from grapheme.graph import Graph
from grapheme.graph.abstract import AbstractGraph
from grapheme.graph.canonical import same_graph
from grapheme.models.evaluation import Evaluation
from grapheme.models.model import Score
from grapheme.options import Options
from grapheme.rng import generator
from grapheme.training.experiment import AbstractExperiment
from grapheme.transform.lessons import Aligned, Lessons
from grapheme.transform.losses import LOSSES
from grapheme.transform.model import GraphEditNet, NetShape
from grapheme.transform.trainer import Course, EditTrainer

DATA = 0
"""The seed of all pairs: a run's own seed decides parameters and batches, so that runs are judged by the same pairs."""


@final
@dataclass(frozen=True, kw_only=True)
class EditExperiment(AbstractExperiment):
    """A task, and the settings of network and training that it is learnt with."""

    name: str
    task: GraphTask
    shape: NetShape = field(default_factory=NetShape)
    lr: float = 0.003
    max_steps: int = 2000
    batch_size: int = 64
    radius: int | None = None
    realign_every: int | None = 300
    weight_decay: float = 0.0
    loss: str = "edits"
    restarts: int = 0
    validate_every: int = 50
    shuffled: bool = False
    """Whether the nodes of targets are numbered at random, which must make no difference."""
    mixed_up: bool = False
    """Whether targets belong to other sources, so that there is nothing to learn."""
    frozen: bool = False
    """Whether parameters stay as they are drawn."""
    mistakes: str = "wrong graphs"
    attached: Mapping[str, bytes] = field(default_factory=dict)
    beyond: Mapping[str, Callable[[], tuple[Pair, ...]]] = field(default_factory=dict)
    """Further pairs to judge by, by what they are."""

    def configured(self, options: Options) -> EditExperiment:
        """Return the same task, learnt as the options ``loss``, ``batch_size`` and ``max_steps`` say.

        The learning rate falls towards the end of the steps.
        """
        given = {name: options[name] for name in ("loss", "batch_size", "max_steps") if options[name] is not None}
        return dataclasses.replace(self, **given)

    def hints(self, folder: str) -> dict[str, str]:
        """Return how to use the network and how to test it."""
        return {"Use it": f"grapheme transform {folder} INPUT", "Test it": f"grapheme evaluate {folder}"}

    def trainer(self, seed: int, attempt: int, dtype: str, backend: Backend) -> EditTrainer:
        """Return a trainer with a fresh network."""
        aligned = _aligned(self.task, self.radius, self.shuffled, self.mixed_up)
        model = GraphEditNet.build(
            aligned.vocabulary, aligned.space, self.shape, dtype=dtype, rng=generator(seed, "wiring", attempt)
        )
        realign_every = self.realign_every if self.loss == "edits" else None
        course = Course(self.lr, self.weight_decay, self.max_steps, realign_every, self.frozen)
        return EditTrainer(model, Lessons(aligned, LOSSES[self.loss]), course, backend)

    def batch(self, seed: int, attempt: int, step: int) -> np.ndarray:
        """Return the numbers of the pairs of a training step, none twice."""
        pairs = len(self.sets.train)
        return generator(seed, "data", attempt, step).permutation(pairs)[: self.batch_size]

    def score(self, model: GraphEditNet, backend: Backend) -> Score:
        """Return how many pairs of the validation set the network gets wrong."""
        return Score(int(np.count_nonzero(~right(model, self.sets.validation, backend))))

    def evaluate(self, model: GraphEditNet, backend: Backend, seed: int) -> Evaluation:
        """Return the share of pairs of each set whose source becomes exactly its target; the seed decides nothing."""
        sets = {"train": self.sets.train, "validation": self.sets.validation, "test": self.sets.test}
        sets |= {name: pairs() for name, pairs in self.beyond.items()}
        rows = [
            {"set": name, "pairs": len(pairs), "exact": float(right(model, pairs, backend).mean()) if pairs else 1.0}
            for name, pairs in sets.items()
        ]
        return Evaluation({"experiment": self.name}, tuple(rows))

    @property
    def sets(self) -> PairSets:
        """The pairs of the task."""
        return _sets(self.task)


def right(model: GraphEditNet, pairs: tuple[Pair, ...], backend: Backend) -> np.ndarray:
    """Return which sources (pairs,) become exactly their target, up to the numbers of the nodes."""
    results = model.predict([pair.source for pair in pairs], backend)
    return np.array([same_graph(result, plain(pair.target)) for result, pair in zip(results, pairs, strict=True)])


def plain(graph: AbstractGraph) -> Graph:
    """Return a graph of any kind as a mere graph."""
    return Graph.from_graph(graph)


def renumbered(graph: AbstractGraph, rng: np.random.Generator) -> Graph:
    """Return the same graph with its nodes numbered at random."""
    number = rng.permutation(graph.nodes)
    labels = None if graph.node_labels is None else [graph.node_labels[i] for i in np.argsort(number)]
    return Graph.from_edges(number[graph.edge_list], graph.nodes, labels, graph.directed, graph.edge_labels)


@cache
def _sets(task: GraphTask) -> PairSets:
    return task.generate(DATA)


@cache
def _aligned(task: GraphTask, radius: int | None, shuffled: bool, mixed_up: bool) -> Aligned:
    rng = generator(DATA, "display")
    pairs = [(pair.source, pair.target) for pair in _sets(task).train]
    if shuffled:
        pairs = [(source, renumbered(target, rng)) for source, target in pairs]
    if mixed_up:
        order = rng.permutation(len(pairs))
        pairs = [(source, pairs[i][1]) for (source, _), i in zip(pairs, order, strict=True)]
    return Aligned.of(pairs, radius)


def load(name: str, options: Options, folder: Path | None) -> EditExperiment:
    """Return the experiment with the task of a name."""
    return task_experiment(task(name)).configured(options)


def load_pairs(options: Options, folder: Path | None) -> EditExperiment:
    """Return the experiment with the pairs that a run keeps, else with those of the file in the options."""
    file = kept_or_given(folder, options["file"])
    found = dataclasses.replace(read_task(file, options["domain"]), name=f"pairs-{Path(options['file']).stem}")
    return dataclasses.replace(task_experiment(found), attached={KEPT: file.read_bytes()}).configured(options)


def task_experiment(task: GraphTask) -> EditExperiment:
    """Return the experiment with a task, with the settings that it is best learnt with, if any are known."""
    return EditExperiment(name=task.name, task=task, **SETTINGS.get(task.name, {}))


REWRITING: dict[str, Any] = {"batch_size": 32, "lr": 0.004, "max_steps": 4000, "weight_decay": 0.02}
"""For terms that rules rewrite."""

SETTINGS: dict[str, dict[str, Any]] = {
    "edit-cycles": {"shape": NetShape(32, 3), "radius": 2, "max_steps": 1500},
    "degree-rules": {"shape": NetShape(32, 3), "radius": 2, "max_steps": 1500, "realign_every": 100},
    "life-graph": {
        "shape": NetShape(16, 2),
        "radius": 1,
        "max_steps": 600,
        "batch_size": 16,
        "beyond": {"32x32": lambda: boards(DATA, 10, 32)},
    },
    "boolean": {"shape": NetShape(32, 6), "radius": 3, **REWRITING},
    "peano": {"shape": NetShape(32, 10), "radius": 4, **REWRITING, "max_steps": 5000},
    **{f"math-{level}": {"shape": NetShape(32, 6), **REWRITING} for level in range(1, 8)},
    "code": {"shape": NetShape(32, 6), "realign_every": 1000, **REWRITING, "max_steps": 8000},
}
"""What is set for a task instead of the values above."""
