"""The training set as a network sees it: pairs, how they are aligned, and the examples that follow."""

from __future__ import annotations

import logging
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, final

import numpy as np

from grapheme.backend import Backend
from grapheme.errors import InvalidInputError
from grapheme.graph.abstract import AbstractGraph
from grapheme.kernels.graph_arrays import EditTargets
from grapheme.models.model import Tensors
from grapheme.transform.align import align
from grapheme.transform.apply import NOTHING
from grapheme.transform.coding import CodedGraph
from grapheme.transform.islands import without_islands
from grapheme.transform.losses import AbstractLoss
from grapheme.transform.model import GraphEditNet
from grapheme.transform.objective import losses_of
from grapheme.transform.realign import replanned
from grapheme.transform.shelf import Shelf
from grapheme.transform.space import EditSpace
from grapheme.transform.supervision import Example, Plan, plan, space_for, strain
from grapheme.transform.translation import Translation, translation
from grapheme.transform.vocabulary import Vocabulary

log = logging.getLogger("grapheme")

MEASURED = 300
"""Pairs that say how far edges reach and how many nodes are inserted after one."""
NODES = 1500
"""As many pairs as have so many nodes teach how the others are aligned."""
ONLY_LABELS, SURROUNDINGS = 1e6, 0.5
"""How much what nodes become is learnt from labels alone, without what is around them."""
WAYS = ((ONLY_LABELS,) * 3, (ONLY_LABELS, ONLY_LABELS, SURROUNDINGS), (SURROUNDINGS,) * 3)
"""Ways to learn it, in rounds."""

Coded = tuple[CodedGraph, CodedGraph]


@final
@dataclass(frozen=True, eq=False)
class Aligned:
    """Pairs in numbers, each with a first plan of how its source becomes its target."""

    vocabulary: Vocabulary
    space: EditSpace
    pairs: tuple[Coded, ...]
    plans: Sequence[Plan]

    @classmethod
    def of(
        cls,
        pairs: Sequence[tuple[AbstractGraph, AbstractGraph]],
        radius: int | None = None,
        vocabulary: Vocabulary | None = None,
    ) -> Aligned:
        """Return pairs aligned by what nodes tend to become in all of them, whatever the order of the nodes.

        ``radius`` says how many hops apart nodes may be that get an edge; if None, as far as nearly all pairs need.
        ``vocabulary`` may know more labels than the pairs have.
        """
        if not pairs:
            raise InvalidInputError("There is nothing to learn from: the training set has no pairs.")
        vocabulary = vocabulary or Vocabulary.of(graph for pair in pairs for graph in pair)
        coded = tuple((CodedGraph.of(a, vocabulary), CodedGraph.of(b, vocabulary)) for a, b in pairs)
        log.info("Finding out what nodes become in %s pairs.", f"{len(coded):,}")
        plans = FirstPlans(coded, _translation(coded, len(vocabulary.labels)))
        found = [(*pair, plans[i]) for i, pair in enumerate(coded[:MEASURED])]
        space = space_for(found, len(vocabulary.edge_labels))
        return cls(vocabulary, space if radius is None else replace(space, radius=radius), coded, plans)


@final
class FirstPlans(Sequence[Plan]):
    """The plans of pairs, each made when it is first asked for: there may be many, and one takes milliseconds."""

    def __init__(self, pairs: Sequence[Coded], guess: Translation) -> None:
        self.pairs, self.guess = pairs, guess
        self.found: dict[int, Plan] = {}

    def __len__(self) -> int:
        return len(self.pairs)

    def __getitem__(self, i: Any) -> Any:
        if not 0 <= i < len(self.pairs):
            raise IndexError(i)
        if i not in self.found:
            source, target = self.pairs[i]
            first = plan(source, target, _mapping((source, target), self.guess))
            self.found[i] = without_islands(source, target, first)
        return self.found[i]


@final
class Lessons:
    """Examples to learn from, whose alignment gets better as the network does."""

    def __init__(self, aligned: Aligned, loss: AbstractLoss) -> None:
        self.pairs, self.space, self.loss = aligned.pairs, aligned.space, loss
        self.first = aligned.plans
        self.better: dict[int, Plan] = {}
        """Plans of pairs that were aligned anew."""
        self.seen = np.zeros(len(self.pairs), np.bool_)
        self.examples = Shelf(len(self.pairs))

    def __len__(self) -> int:
        return len(self.pairs)

    def plan(self, i: int) -> Plan:
        """Return how a source becomes its target, as far as is known now."""
        return self.better.get(i) or self.first[i]

    def batch(self, chosen: np.ndarray) -> Example:
        """Return some examples as one batch; each is made when it is first asked for."""
        self.seen[chosen] = True
        for i in map(int, chosen):
            if i not in self.examples:
                self.examples.put(i, self.loss.example(*self.pairs[i], self.plan(i), self.space))
        return self.examples.batch(chosen)

    def realign(self, model: GraphEditNet, backend: Backend) -> int:
        """Align anew the pairs seen so far that the network gets wrong; return how many are now easier for it.

        An example that leaves out more of its target is easier to learn, but it is not the target that is learnt then.
        """
        seen = np.flatnonzero(self.seen)
        if not len(seen):
            return 0
        losses, right = losses_of(model, self.batch(seen), backend, self.loss)
        losses, wrong = losses[~right], seen[~right].tolist()
        if not wrong:
            return 0
        pairs = [self.pairs[i] for i in wrong]
        edits = model.edits([source for source, _ in pairs], backend)
        plans = [replanned(source, target, each) for (source, target), each in zip(pairs, edits, strict=True)]
        examples = [
            self.loss.example(source, target, each, self.space)
            for (source, target), each in zip(pairs, plans, strict=True)
        ]
        easier = losses_of(model, Example.join(examples), backend, self.loss)[0] < losses
        more = np.array([_said(new) - _said(self.examples[i]) for i, new in zip(wrong, examples, strict=True)])
        better = (more > 0) | ((more == 0) & easier)
        for place in np.flatnonzero(better).tolist():
            self.better[wrong[place]] = plans[place]
            self.examples.put(wrong[place], examples[place])
        return int(better.sum())

    def state(self) -> Tensors:
        """Return which pairs were learnt from, and the plans of those aligned anew, as arrays."""
        numbers = sorted(self.better)
        plans = [self.better[i] for i in numbers]
        sizes = np.array([(len(each.mapping), len(each.new)) for each in plans], np.int64).reshape(-1, 2)
        none = np.zeros(0, np.int32)
        mapping = np.concatenate([none, *(each.mapping for each in plans)])
        new = [np.stack([each.new, each.anchors, each.slots]) for each in plans]
        rows = np.concatenate([np.zeros((3, 0), np.int32), *new], axis=1)
        return {
            "seen": self.seen.copy(),
            "numbers": np.array(numbers, np.int64),
            "sizes": sizes,
            "mapping": mapping,
            "new": np.ascontiguousarray(rows),
        }

    def restore(self, state: Tensors) -> None:
        """Continue from what ``state`` returned."""
        ends = np.cumsum(state["sizes"], axis=0)[:-1]
        mappings, new = np.split(state["mapping"], ends[:, 0]), np.split(state["new"], ends[:, 1], axis=1)
        plans = zip(state["numbers"].tolist(), mappings, new, strict=False)
        self.better = {i: Plan(mapping, *map(np.ascontiguousarray, rows)) for i, mapping, rows in plans}
        self.seen, self.examples = state["seen"].copy(), Shelf(len(self.pairs))


def _said(example: Example) -> int:
    """Return how many nodes and edges of its target an example has; an edit space may have no room for all."""
    targets = example.targets
    if not isinstance(targets, EditTargets):
        return 0
    return sum(int((decisions != NOTHING).sum()) for decisions in (targets.nodes, targets.slots, targets.pairs))


def _translation(pairs: Sequence[Coded], labels: int) -> Translation:
    """Return what nodes become, learnt in turns with the alignments that follow from it.

    That is told by labels alone, or also by what is around a node, at the end or from the start, whichever describes
    the pairs in fewer words (Schwarz 1978): what is simpler is easier to learn.
    """
    enough = np.searchsorted(np.cumsum([source.nodes for source, _ in pairs]), NODES)
    sample, first = pairs[: 1 + int(enough)], translation(pairs, labels)
    found = [_learnt(sample, first, labels, backings) for backings in WAYS]
    best = max(found, key=lambda each: each[1])[0]
    return min(best, replace(best, context=False), key=lambda guess: _strain(sample, guess))


def _strain(sample: Sequence[Coded], guess: Translation) -> int:
    """Return how strained the plans of pairs are under a guess."""
    plans = FirstPlans(sample, guess)
    return sum(strain(source, target, each) for (source, target), each in zip(sample, plans, strict=True))


def _learnt(
    sample: Sequence[Coded], guess: Translation, labels: int, backings: Sequence[float]
) -> tuple[Translation, float]:
    """Return what nodes become, and how well that describes them, less how long it takes to say it."""
    strict = backings[0] == SURROUNDINGS
    guess = replace(guess, strict=strict)
    for backing in backings:
        mappings = [_mapping(pair, guess, careful=False) for pair in sample]
        guess = Translation.of(sample, mappings, labels, backing, strict)
    mappings = [_mapping(pair, guess, careful=False) for pair in sample]
    nodes = sum(source.nodes for source, _ in sample)
    words = len(guess.by_label if backings[-1] == ONLY_LABELS else guess.by_surroundings)
    new = sum(target.nodes - np.count_nonzero(each >= 0) for (_, target), each in zip(sample, mappings, strict=True))
    said = words * math.log(nodes) / 2 + new * math.log(labels)  # of a new node at least the label has to be said
    return guess, guess.likelihood(sample, mappings) - said


def _mapping(pair: Coded, guess: Translation, careful: bool = True) -> np.ndarray:
    source, target = pair
    return align(guess.relabelled(source), target, guess.chances(source), guess.strict, guess.context, careful)
