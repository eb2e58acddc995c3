"""The training set as a network sees it: pairs, how they are aligned, and the examples that follow."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import final

import numpy as np

from grapheme.backend import Backend
from grapheme.errors import InvalidInputError
from grapheme.graph_arrays import EditTargets
from grapheme.interfaces import AbstractGraph, Tensors
from grapheme.transform.align import align
from grapheme.transform.apply import NOTHING
from grapheme.transform.coding import CodedGraph
from grapheme.transform.losses import AbstractLoss
from grapheme.transform.model import GraphEditNet
from grapheme.transform.objective import losses_of
from grapheme.transform.realign import replanned
from grapheme.transform.space import EditSpace
from grapheme.transform.supervision import Example, Plan, plan, space_for
from grapheme.transform.translation import Translation, translation
from grapheme.transform.vocabulary import Vocabulary

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
    plans: tuple[Plan, ...]

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
        guess = _translation(coded, len(vocabulary.labels))
        plans = tuple(plan(*pair, _mapping(pair, guess)) for pair in coded)
        found = [(*pair, each) for pair, each in zip(coded, plans, strict=True)]
        space = space_for(found, len(vocabulary.edge_labels))
        return cls(vocabulary, space if radius is None else replace(space, radius=radius), coded, plans)


@final
class Lessons:
    """Examples to learn from, whose alignment gets better as the network does."""

    def __init__(self, aligned: Aligned, loss: AbstractLoss) -> None:
        self.pairs, self.space, self.loss = aligned.pairs, aligned.space, loss
        self.plans = list(aligned.plans)
        self.examples: list[Example | None] = [None] * len(self.plans)

    def batch(self, chosen: Sequence[int]) -> list[Example]:
        """Return some examples; each is made when it is first asked for."""
        return [self._example(int(i)) for i in chosen]

    def realign(self, model: GraphEditNet, backend: Backend) -> int:
        """Align anew the pairs that the network gets wrong, where that makes it less wrong; return how many.

        An example that leaves out more of its target is easier to learn, but it is not the target that is learnt then.
        """
        losses, right = losses_of(model, self.batch(range(len(self.plans))), backend, self.loss)
        wrong = np.flatnonzero(~right)
        if not len(wrong):
            return 0
        edits = model.edits([self.pairs[i][0] for i in wrong], backend)
        plans = [replanned(*self.pairs[i], each) for i, each in zip(wrong, edits, strict=True)]
        examples = [self.loss.example(*self.pairs[i], each, self.space) for i, each in zip(wrong, plans, strict=True)]
        easier = losses_of(model, examples, backend, self.loss)[0] < losses[wrong]
        before = self.batch(wrong)
        more = np.array([_said(new) - _said(old) for new, old in zip(examples, before, strict=True)])
        better = (more > 0) | ((more == 0) & easier)
        for i in np.flatnonzero(better):
            self.plans[wrong[i]], self.examples[wrong[i]] = plans[i], examples[i]
        return int(better.sum())

    def state(self) -> Tensors:
        """Return all plans as arrays."""
        sizes = np.array([(len(each.mapping), len(each.new)) for each in self.plans], np.int64)
        mapping = np.concatenate([each.mapping for each in self.plans])
        new = np.concatenate([np.stack([each.new, each.anchors, each.slots]) for each in self.plans], axis=1)
        return {"sizes": sizes, "mapping": mapping, "new": np.ascontiguousarray(new)}

    def restore(self, state: Tensors) -> None:
        """Continue with the plans that ``state`` returned."""
        ends = np.cumsum(state["sizes"], axis=0)[:-1]
        mappings, new = np.split(state["mapping"], ends[:, 0]), np.split(state["new"], ends[:, 1], axis=1)
        self.plans = [
            Plan(mapping, *map(np.ascontiguousarray, rows)) for mapping, rows in zip(mappings, new, strict=True)
        ]
        self.examples = [None] * len(self.plans)

    def _example(self, i: int) -> Example:
        example = self.examples[i]
        if example is None:
            example = self.examples[i] = self.loss.example(*self.pairs[i], self.plans[i], self.space)
        return example


def _said(example: Example) -> int:
    """Return how many nodes and edges of its target an example has; an edit space may have no room for all."""
    targets = example.targets
    if not isinstance(targets, EditTargets):
        return 0
    return sum(np.count_nonzero(decisions != NOTHING) for decisions in (targets.nodes, targets.slots, targets.pairs))


def _translation(pairs: Sequence[Coded], labels: int) -> Translation:
    """Return what nodes become, learnt in turns with the alignments that follow from it.

    That is told by labels alone, or also by what is around a node, at the end or from the start, whichever describes
    the pairs in fewer words (Schwarz 1978): what is simpler is easier to learn.
    """
    enough = np.searchsorted(np.cumsum([source.nodes for source, _ in pairs]), NODES)
    sample, first = pairs[: 1 + int(enough)], translation(pairs, labels)
    found = [_learnt(sample, first, labels, backings) for backings in WAYS]
    return max(found, key=lambda each: each[1])[0]


def _learnt(
    sample: Sequence[Coded], guess: Translation, labels: int, backings: Sequence[float]
) -> tuple[Translation, float]:
    """Return what nodes become, and how well that describes them, less how long it takes to say it."""
    strict = backings[0] == SURROUNDINGS
    guess = replace(guess, strict=strict)
    for backing in backings:
        mappings = [_mapping(pair, guess) for pair in sample]
        guess = Translation.of(sample, mappings, labels, backing, strict)
    mappings = [_mapping(pair, guess) for pair in sample]
    nodes = sum(source.nodes for source, _ in sample)
    words = len(guess.by_label if backings[-1] == ONLY_LABELS else guess.by_surroundings)
    new = sum(target.nodes - np.count_nonzero(each >= 0) for (_, target), each in zip(sample, mappings, strict=True))
    said = words * math.log(nodes) / 2 + new * math.log(labels)  # of a new node at least the label has to be said
    return guess, guess.likelihood(sample, mappings) - said


def _mapping(pair: Coded, guess: Translation) -> np.ndarray:
    source, target = pair
    return align(guess.relabelled(source), target, guess.chances(source), guess.strict)
