"""Nodes that a plan carries too far become new ones where they are needed, if they are few."""

from __future__ import annotations

import numpy as np
import pytest

from grapheme.graph import Graph
from grapheme.kernels.graph_arrays import EditTargets
from grapheme.transform.align import UNMATCHED
from grapheme.transform.apply import Edits, apply_edits
from grapheme.transform.coding import CodedGraph
from grapheme.transform.islands import SMALL, without_islands
from grapheme.transform.space import EditSpace
from grapheme.transform.supervision import FARTHEST, plan, supervise
from grapheme.transform.vocabulary import Vocabulary

LENGTH = 20


def moved(count: int):
    """A path, the same with its first nodes at its other end, and the mapping that carries them there."""
    source = Graph.from_edges([(i, i + 1) for i in range(LENGTH - 1)], LENGTH, [f"n{i}" for i in range(LENGTH)])
    order = [*range(count, LENGTH), *range(count)]
    target = Graph.from_edges([(i, i + 1) for i in range(LENGTH - 1)], LENGTH, [f"n{i}" for i in order])
    known = Vocabulary.of([source])
    mapping = np.argsort(order).astype(np.int32)
    return known, CodedGraph.of(source, known), CodedGraph.of(target, known), target, mapping


@pytest.mark.parametrize("count", range(1, SMALL + 1))
def test_few_nodes_that_are_carried_too_far_are_made_anew(count):
    known, source, coded, target, mapping = moved(count)
    found = without_islands(source, coded, plan(source, coded, mapping))
    assert (found.mapping[:count] == UNMATCHED).all()
    np.testing.assert_array_equal(found.mapping[count:], mapping[count:])
    assert sorted(found.new.tolist()) == list(range(LENGTH - count, LENGTH))
    assert set(found.anchors.tolist()) == {LENGTH - 1}
    example = supervise(source, coded, found, EditSpace(False, 1, SMALL, FARTHEST, False))
    assert isinstance(example.targets, EditTargets)
    made = apply_edits(Edits.of(example.edits, example.targets), known)
    assert sorted(made.node_labels or ()) == sorted(target.node_labels or ())
    assert made.edges == target.edges


def test_many_nodes_are_left_as_they_are():
    _, source, coded, _, mapping = moved(SMALL + 1)
    chosen = plan(source, coded, mapping)
    assert without_islands(source, coded, chosen) is chosen


def test_a_plan_within_reach_stays():
    _, source, _, _, _ = moved(1)
    chosen = plan(source, source, np.arange(LENGTH, dtype=np.int32))
    assert without_islands(source, source, chosen) is chosen
