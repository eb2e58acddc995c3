"""Exchanges of what nodes become, and how plans are judged: against plain sums over all pairs of nodes."""

from __future__ import annotations

import dataclasses
from itertools import combinations

import numpy as np
import pytest

from grapheme.graph import Graph
from grapheme.kernels.graph_arrays import EditTargets
from grapheme.transform.coding import CodedGraph
from grapheme.transform.lessons import Aligned
from grapheme.transform.supervision import Plan, strain, supervise
from grapheme.transform.swaps import exchanged
from grapheme.transform.vocabulary import Vocabulary


def worth(alone, sources, targets, mapping):
    """What a mapping saves: nodes by themselves, and every pair of nodes together."""
    kept = [(i, a) for i, a in enumerate(mapping) if a >= 0]
    single = sum(alone[i, a] for i, a in kept)
    return single + sum(sources[:, i, j] @ targets[:, a, b] for (i, a), (j, b) in combinations(kept, 2))


def neighbours(mapping, others):
    """All mappings that one exchange leads to: of two images, or of an image and one that is free."""
    free = [-1, *(a for a in range(others) if a not in mapping)]
    for i in range(len(mapping)):
        for a in free:
            yield [*mapping[:i], a, *mapping[i + 1 :]]
        for j in range(i):
            swapped = list(mapping)
            swapped[i], swapped[j] = swapped[j], swapped[i]
            yield swapped


@pytest.mark.parametrize("seed", range(8))
def test_exchanges_end_where_none_saves_more(seed):
    rng = np.random.default_rng(seed)
    nodes, others = rng.integers(2, 7, size=2)
    alone = rng.normal(size=(nodes, others))
    sources, targets = (np.triu(rng.normal(size=(3, n, n)), 1) for n in (nodes, others))
    sources, targets = (half + half.transpose(0, 2, 1) for half in (sources, targets))
    start = rng.permutation(np.append(np.arange(others), [-1] * nodes))[:nodes].astype(np.int32)
    found, saved = exchanged(alone, sources, targets, start)
    assert saved == pytest.approx(worth(alone, sources, targets, found.tolist()))
    assert saved >= worth(alone, sources, targets, start.tolist()) - 1e-9
    assert len(set(found[found >= 0].tolist())) == np.count_nonzero(found >= 0)
    assert all(worth(alone, sources, targets, other) <= saved + 1e-6 for other in neighbours(found.tolist(), others))


def path(*labels):
    return Graph.from_edges([(i, i + 1) for i in range(len(labels) - 1)], len(labels), list(labels))


def test_a_plan_is_strained_by_what_it_tears_apart_and_crowds_together():
    """By hand: the ends of a path of four are joined, three hops apart; then two new nodes at one place."""
    source, ring = path(*"abcd"), Graph.from_edges([(0, 1), (1, 2), (2, 3), (0, 3)], 4, list("abcd"))
    known = Vocabulary.of([source])
    one, other = CodedGraph.of(source, known), CodedGraph.of(ring, known)
    numbers, none = np.arange(4, dtype=np.int32), np.zeros(0, np.int32)
    assert strain(one, one, Plan(numbers, none, none, none)) == 0
    assert strain(one, other, Plan(numbers, none, none, none)) == 2
    short = CodedGraph.of(Graph.from_edges([], 1, ["a"]), known)
    star = CodedGraph.of(Graph.from_edges([(0, 1), (0, 2)], 3, list("abc")), known)
    new = np.array([1, 2], np.int32), np.array([0, 0], np.int32), np.array([0, 1], np.int32)
    assert strain(short, star, Plan(numbers[:1], *new)) == 1


def test_an_example_without_room_for_new_nodes_says_less_of_its_target():
    """Such an example is easier to learn, and must not take the place of a whole one."""
    from grapheme.transform.lessons import _said

    aligned = Aligned.of([(path("a", "b"), path("a", "b", "c"))] * 3)
    (source, target), chosen = aligned.pairs[0], aligned.plans[0]
    whole = supervise(source, target, chosen, aligned.space)
    part = supervise(source, target, chosen, dataclasses.replace(aligned.space, slots=0))
    assert isinstance(whole.targets, EditTargets)
    assert (_said(whole), _said(part)) == (3 + 2, 2 + 1)
