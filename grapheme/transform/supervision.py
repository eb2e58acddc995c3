"""What a network is told about a pair: the edits that turn its source into its target, given an alignment."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, final

import numpy as np

from grapheme.arrays import Ints
from grapheme.kernels.graph_arrays import EditArrays, EditTargets, GraphArrays, WholeTargets
from grapheme.transform.align import UNMATCHED
from grapheme.transform.apply import NOTHING
from grapheme.transform.coding import CodedGraph
from grapheme.transform.colours import shared_colours
from grapheme.transform.space import EditSpace

FARTHEST = 4
"""No edge reaches further than this, whatever an alignment would need; what does is left out."""
COVERED = 0.97
"""The share of pairs whose edges are all within the radius; a few alignments may be wrong."""


@final
@dataclass(frozen=True, eq=False)
class Plan:
    """What becomes of the nodes of a source, and where the target's other nodes are inserted."""

    mapping: Ints
    """(nodes,): the node of the target that each becomes, or ``UNMATCHED``."""
    new: Ints
    """(new,): the other nodes of the target, by anchor and slot."""
    anchors: Ints
    """(new,): the node of the source that each is inserted after."""
    slots: Ints
    """(new,): and into which slot of it, from 0 up."""


@final
@dataclass(frozen=True, eq=False)
class Example:
    """A pair as the kernels see it, or several together."""

    graphs: GraphArrays
    edits: EditArrays
    targets: EditTargets | WholeTargets
    """What is right: single edits, or a whole graph."""

    @property
    def edit_targets(self) -> EditTargets:
        """The targets of examples whose single edits are known."""
        assert isinstance(self.targets, EditTargets)
        return self.targets

    @property
    def whole_targets(self) -> WholeTargets:
        """The targets of examples of which only the whole graph is known."""
        assert isinstance(self.targets, WholeTargets)
        return self.targets

    @classmethod
    def join(cls, examples: Sequence[Example]) -> Example:
        """Return several examples, all with one kind of target, as one batch."""
        targets: Sequence[Any] = [example.targets for example in examples]
        return cls(
            GraphArrays.join([example.graphs for example in examples]),
            EditArrays.join([example.edits for example in examples]),
            type(targets[0]).join(targets),
        )

    def take(self, chosen: np.ndarray) -> Example:
        """Return some examples of the batch, in this order."""
        return Example(self.graphs.take(chosen), self.edits.take(chosen), self.targets.take(chosen, self.edits))

    def __len__(self) -> int:
        return len(self.graphs)


def plan(source: CodedGraph, target: CodedGraph, mapping: Ints) -> Plan:
    """Return where unmatched nodes of the target belong: after the matched node that they are nearest to."""
    none = np.zeros(0, np.int32)
    return anchor_rest(source, target, mapping, none, none, none)


def anchor_rest(source: CodedGraph, target: CodedGraph, mapping: Ints, new: Ints, anchors: Ints, slots: Ints) -> Plan:
    """Return a plan in which some places of new nodes are given, and all others follow, in the order of colours."""
    home = np.full(target.nodes, UNMATCHED, np.int32)
    kept = mapping != UNMATCHED
    home[mapping[kept]] = np.flatnonzero(kept)
    given = kept[anchors] if len(anchors) else np.zeros(0, np.bool_)
    places = {(int(a), int(s)): int(v) for v, a, s in zip(new[given], anchors[given], slots[given], strict=True)}
    home[new[given]] = anchors[given]
    order = shared_colours(source, target).order[source.nodes :]
    for node in np.argsort(order, kind="stable").tolist():
        if home[node] == UNMATCHED:
            anchor = _anchor(target, home, order, node)
            places[anchor, next(s for s in range(target.nodes) if (anchor, s) not in places)] = node
    columns = np.array([(places[place], *place) for place in sorted(places)], np.int32).reshape(-1, 3)
    return Plan(mapping, *np.ascontiguousarray(columns.T))


def space_for(plans: Sequence[tuple[CodedGraph, CodedGraph, Plan]], kinds: int) -> EditSpace:
    """Return the smallest bounds within which the edits of nearly all pairs can be said."""
    directed = plans[0][0].directed
    slots = int(np.sort([int(each.slots.max(initial=-1)) + 1 for _, _, each in plans])[int(COVERED * (len(plans) - 1))])
    loops = any((graph.edges[:, 0] == graph.edges[:, 1]).any() for pair in plans for graph in pair[:2])
    reach = np.sort([_reach(*each) for each in plans])
    return EditSpace(directed, kinds, slots, max(1, int(reach[int(COVERED * (len(reach) - 1))])), loops)


def supervise(source: CodedGraph, target: CodedGraph, chosen: Plan, space: EditSpace) -> Example:
    """Return the example of a pair; what the space has no room for is left out."""
    fits = chosen.slots < space.slots
    new, anchors, slots = chosen.new[fits], chosen.anchors[fits], chosen.slots[fits]
    kept = chosen.mapping != UNMATCHED
    edits = space.edits(source, kept, anchors, slots)
    nodes = np.where(kept, 1 + target.labels[chosen.mapping], NOTHING).astype(np.int32)
    inserted = np.full((source.nodes, space.slots), NOTHING, np.int32)
    inserted[anchors, slots] = 1 + target.labels[new]
    becomes = np.concatenate([chosen.mapping, new])
    edges = [1 + target.joined.get((a, b), -1) for a, b in becomes[edits.pairs].tolist()]
    return Example(source.arrays(), edits, EditTargets(nodes, inserted, np.array(edges, np.int32)))


def _anchor(target: CodedGraph, home: Ints, order: np.ndarray, node: int) -> int:
    """Return the source's node of the nearest matched node, in the order of colours if several are as near."""
    seen, ring = {node}, [node]
    while ring:
        ring = sorted({w for v in ring for w in target.neighbours[v]} - seen, key=lambda v: (order[v], v))
        seen.update(ring)
        found = [v for v in ring if home[v] != UNMATCHED]
        if found:
            return int(home[found[0]])
    matched = np.flatnonzero(home != UNMATCHED)
    return int(home[matched[np.argmin(order[matched])]]) if len(matched) else 0


def homes(target: CodedGraph, chosen: Plan) -> Ints:
    """Return the node of the source (nodes of the target,) that each comes from, or is inserted after."""
    home = np.full(target.nodes, UNMATCHED, np.int32)
    kept = chosen.mapping != UNMATCHED
    home[chosen.mapping[kept]] = np.flatnonzero(kept)
    home[chosen.new] = chosen.anchors
    return home


def strain(source: CodedGraph, target: CodedGraph, chosen: Plan) -> int:
    """Return how far a plan tears joined nodes apart, and how much it crowds new ones together: less is likelier."""
    hops = _hops(source, target, chosen)
    return int(np.maximum(hops - 1, 0).sum() + chosen.slots.sum())


def _reach(source: CodedGraph, target: CodedGraph, chosen: Plan) -> int:
    """Return how far apart, in hops of the source, nodes are that an edge of the target joins."""
    return int(_hops(source, target, chosen).max(initial=0))


def _hops(source: CodedGraph, target: CodedGraph, chosen: Plan) -> np.ndarray:
    """Return how many hops apart (edges,) nodes are that an edge joins; of new nodes, those they are inserted after."""
    ends = homes(target, chosen)[target.edges]
    hops: np.ndarray = np.minimum(source.hops(FARTHEST)[ends[:, 0], ends[:, 1]], FARTHEST)
    return hops
