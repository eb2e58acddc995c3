"""What nodes tend to become, learnt from a whole set of pairs at once, before anything is known of single nodes.

As words are paired up between languages (Brown et al. 1993, their model 1): whatever tends to be in targets when
something is in their sources is probably what that becomes. Here a node of the source becomes one node of the target or
none, so the chances are made to sum to 1 both ways. A node is described by its label and those of its neighbours.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from grapheme.arrays import Floats, Ints
from grapheme.transform.coding import CodedGraph

SURENESS = tuple(np.linspace(1, 3, 8).tolist())
NORMALISATIONS = 5
STIFFNESS = 0.1
"""How much labels resist being explained by changes."""
PAIRS = 600
"""Pairs that are looked at; more would teach little more."""
BACKING = 30.0
"""A description that was seen so often counts as much as its label alone."""
LEAST = 1e-3
"""No chance is taken to be less."""
DOUBT = 0.02
"""The chance that stays for what was never seen."""
ALONE = 0.15
"""The weight of a node that becomes none, and of one that comes from none."""
Described = tuple[int, tuple[tuple[int, int], ...]]


@dataclass(frozen=True, eq=False)
class Translation:
    """The chances that a node of a source becomes a node with a label."""

    by_label: Floats
    """(labels, labels)."""
    by_surroundings: dict[Described, Floats]
    """(labels,) for each description that was seen."""
    strict: bool = False
    """Whether nodes that hardly ever stay must not."""
    context: bool = True
    """Whether nodes that look the same around them are likely to become each other."""

    @classmethod
    def of(
        cls, pairs: Sequence[tuple[CodedGraph, CodedGraph]], mappings: Sequence[Ints], labels: int, backing: float,
        strict: bool,
    ) -> Translation:  # fmt: skip
        """Return what nodes become in pairs whose alignment is known.

        A description that was seen ``backing`` times counts as much as its label alone.
        """
        sums: dict[Described, Floats] = {}
        sizes: dict[Described, int] = {}
        for (source, target), mapping in zip(pairs, mappings, strict=True):
            for description, image in zip(described(source), mapping.tolist(), strict=True):
                row = sums.setdefault(description, np.zeros(labels))
                sizes[description] = sizes.get(description, 0) + 1
                if image >= 0:
                    row[target.labels[image]] += 1
        own = np.array([label for label, _ in sums], np.int64)
        every = np.array(list(sizes.values()), np.float64)
        by_label = _by_label(np.array(list(sums.values())), every, own, labels)
        rows = {name: (row + backing * by_label[name[0]]) / (sizes[name] + backing) for name, row in sums.items()}
        return cls(by_label, rows, strict)

    def chances(self, source: CodedGraph) -> Floats:
        """Return the chances (nodes, labels) of what each node becomes; they sum to less than 1 if it may go."""
        rows = [self.by_surroundings.get(each, self.by_label[each[0]]) for each in described(source)]
        return np.array(rows).reshape(source.nodes, -1)

    def likelihood(self, pairs: Sequence[tuple[CodedGraph, CodedGraph]], mappings: Sequence[Ints]) -> float:
        """Return the logarithm of the chance that nodes become what they do, or go."""
        total = 0.0
        for (source, target), mapping in zip(pairs, mappings, strict=True):
            chances, kept = self.chances(source), mapping >= 0
            stay = chances[np.flatnonzero(kept), target.labels[mapping[kept]]]
            gone = 1 - chances[~kept].sum(axis=1)
            total += float(np.log(np.maximum(np.concatenate([stay, gone]), LEAST)).sum())
        return total

    def relabelled(self, source: CodedGraph) -> CodedGraph:
        """Return the source with the label that each node most likely gets."""
        return CodedGraph(
            source.directed, self.chances(source).argmax(axis=1).astype(np.int32), source.edges, source.kinds
        )


def described(graph: CodedGraph) -> list[Described]:
    """Return for each node its label and, in order, the relations and labels of its neighbours."""
    near: list[list[tuple[int, int]]] = [[] for _ in range(graph.nodes)]
    for node, relation, other in graph.arcs.tolist():
        near[node].append((relation, int(graph.labels[other])))
    return [(label, tuple(sorted(arcs))) for label, arcs in zip(graph.labels.tolist(), near, strict=True)]


def translation(pairs: Sequence[tuple[CodedGraph, CodedGraph]], labels: int) -> Translation:
    """Return what nodes become in pairs: a first guess from how many there are, then expectation maximisation."""
    seen = list(pairs[:PAIRS])
    numbers: dict[Described, int] = {}
    rows = [_numbered(source, numbers) for source, _ in seen]
    own = np.array([label for label, _ in numbers], np.int64)
    every = np.bincount(np.concatenate(rows), minlength=len(numbers)).astype(np.float64)
    exact = _from_counts(seen, rows, own, labels)
    staying = np.minimum(exact.sum(axis=1, keepdims=True), 1)
    by_label = _by_label(exact * every[:, None], every, own, labels)
    for sureness in SURENESS:
        table = (every[:, None] * exact + BACKING * by_label[own]) / (every[:, None] + BACKING) + DOUBT / labels
        counts = np.zeros_like(table)
        for mine, (_, target) in zip(rows, seen, strict=True):
            shares = _shares(table[np.ix_(mine, target.labels)] ** sureness)
            np.add.at(counts, (mine[:, None], target.labels[None]), shares)
        by_label = _by_label(counts, every, own, labels)
        exact = (counts + DOUBT * by_label[own]) / (every[:, None] + DOUBT)
    exact *= np.minimum(1, staying / np.maximum(exact.sum(axis=1, keepdims=True), LEAST))
    return Translation(by_label, {name: exact[i] for name, i in numbers.items()})


def _from_counts(
    pairs: Sequence[tuple[CodedGraph, CodedGraph]], rows: Sequence[np.ndarray], own: np.ndarray, labels: int
) -> Floats:
    """Return the chances (descriptions, labels) that explain best how often labels occur in targets.

    Where nodes that look the same become the same, a target has as many nodes of a label as its source has nodes that
    become it: least squares, with as little change of labels as explains the counts.
    """
    descriptions = len(own)
    counts = np.stack([np.bincount(mine, minlength=descriptions) for mine in rows]).astype(np.float64)
    by_label = counts @ np.eye(labels)[own]
    wanted = np.stack([np.bincount(target.labels, minlength=labels) for _, target in pairs]) - by_label
    known = np.concatenate([by_label, counts], axis=1)
    inner = known @ known.T + STIFFNESS * np.eye(len(pairs))
    change = known.T @ np.linalg.solve(inner, wanted)
    table = np.eye(labels)[own] + change[own] + change[labels:]
    result: Floats = np.clip(table, 0, 1)
    return result


def _numbered(graph: CodedGraph, numbers: dict[Described, int]) -> np.ndarray:
    return np.array([numbers.setdefault(name, len(numbers)) for name in described(graph)], np.int64)


def _by_label(counts: Floats, every: Floats, own: np.ndarray, labels: int) -> Floats:
    """Return the chances (labels, labels) of what a label becomes, whatever is around it."""
    sums, sizes = np.zeros((labels, labels)), np.zeros(labels)
    np.add.at(sums, own, counts)
    np.add.at(sizes, own, every)
    result: Floats = sums / np.maximum(sizes, 1)[:, None]
    return result


def _shares(chances: Floats) -> Floats:
    """Return how much each node of a source is each node of its target, given how likely that is."""
    nodes, others = chances.shape
    powers = np.full((nodes + 1, others + 1), ALONE)
    powers[:-1, :-1] = chances
    for _ in range(NORMALISATIONS):
        powers[:-1] /= powers[:-1].sum(axis=1, keepdims=True)
        powers[:, :-1] /= powers[:, :-1].sum(axis=0, keepdims=True)
    return powers[:-1, :-1]
