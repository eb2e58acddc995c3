"""Plans that carry a few nodes too far: these become new nodes instead, where they are needed.

An assignment may find a use, at the other end of a graph, for nodes that would otherwise go. That saves edits, but no
edge reaches so far, and nothing that a network could learn leads there.
"""

from __future__ import annotations

import numpy as np

from grapheme.transform.align import UNMATCHED
from grapheme.transform.coding import CodedGraph
from grapheme.transform.supervision import FARTHEST, Plan, homes, plan

SMALL = 4
"""As many nodes of a source at most are given up together; more are rather left without an edge."""


def without_islands(source: CodedGraph, target: CodedGraph, chosen: Plan) -> Plan:
    """Return the plan without small parts that only edges beyond reach join to the rest."""
    while True:
        given_up = _island(source, target, chosen)
        if not len(given_up):
            return chosen
        mapping = chosen.mapping.copy()
        mapping[given_up] = UNMATCHED
        chosen = plan(source, target, mapping)


def _island(source: CodedGraph, target: CodedGraph, chosen: Plan) -> np.ndarray:
    """Return the nodes of the source in the smallest part that edges beyond reach lead to; none if all are large."""
    home = homes(target, chosen)
    near = source.hops(FARTHEST)[home[target.edges[:, 0]], home[target.edges[:, 1]]] <= FARTHEST
    if near.all():
        return np.zeros(0, np.int64)
    part = _parts(target.nodes, target.edges[near].tolist())
    parts = part[chosen.mapping]
    kept = chosen.mapping != UNMATCHED
    far = sorted({int(part[node]) for edge in target.edges[~near] for node in edge})
    members = [np.flatnonzero(kept & (parts == each)) for each in far]
    smallest = min((each for each in members if len(each)), key=len)
    return smallest if len(smallest) <= SMALL and len(smallest) < kept.sum() else np.zeros(0, np.int64)


def _parts(nodes: int, edges: list[list[int]]) -> np.ndarray:
    """Return for each node (nodes,) the least node of the part that edges join it to."""
    part = list(range(nodes))

    def root(node: int) -> int:
        while part[node] != node:
            node = part[node]
        return node

    for a, b in edges:
        a, b = root(a), root(b)
        part[max(a, b)] = min(a, b)
    return np.array([root(node) for node in range(nodes)])
