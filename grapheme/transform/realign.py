"""Better alignments from what a network has learnt: what it makes of a source is matched with the target.

A first alignment is a guess about each pair alone. A network that has seen many pairs has found what they have in
common, so the nodes of its result are often easier to match with those of the target than the nodes of the source are.
"""

from __future__ import annotations

import numpy as np

from grapheme.arrays import Ints
from grapheme.transform.align import UNMATCHED, align
from grapheme.transform.apply import Edits
from grapheme.transform.coding import CodedGraph
from grapheme.transform.supervision import Plan, anchor_rest


def replanned(source: CodedGraph, target: CodedGraph, edits: Edits) -> Plan:
    """Return the plan by which the nodes of a predicted result become those of the target that they match."""
    result, number = coded_result(source, edits)
    match = align(result, target)
    image = np.where(number >= 0, match[number] if len(match) else UNMATCHED, UNMATCHED).astype(np.int32)
    mapping, inserted = image[: source.nodes], image[source.nodes :]
    found = inserted != UNMATCHED
    return anchor_rest(source, target, mapping, inserted[found], edits.anchors[found], edits.slots[found])


def coded_result(source: CodedGraph, edits: Edits) -> tuple[CodedGraph, Ints]:
    """Return the graph after edits, in numbers, and which node each node and new node became; -1 if none."""
    labels, ends, kinds, number = edits.outcome()
    ends = ends if source.directed else np.sort(ends, axis=1)
    order = np.lexsort(ends.T[::-1])
    return CodedGraph(source.directed, labels, ends[order], kinds[order]), number
