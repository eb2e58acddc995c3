"""Rules about degrees, after the data set of that name in Graph Edit Networks (Paassen et al. 2021).

All rules look at the graph as it is and act at once:

1. a node with more than three neighbours goes, and its edges with it;
2. two nodes that stay, share a neighbour and are not joined are joined by an edge;
3. a node that stays and has fewer than two neighbours gets a new one.

Theirs act one after another, older nodes first, so what comes next depends on the age of nodes; here it depends on the
graph alone.
"""

from __future__ import annotations

from itertools import combinations

import numpy as np

from grapheme.datasets.drawing import Sizes, drawn_task
from grapheme.datasets.pairs import Pair
from grapheme.domains.shipped import GRAPH
from grapheme.graph import Graph
from grapheme.graph.abstract import AbstractGraph

MOST, LEAST = 3, 2
LABEL = "node"


def step(graph: AbstractGraph) -> Graph:
    """Return the graph after all rules have acted once."""
    near = [set(graph.indices[a:b].tolist()) for a, b in zip(graph.indptr, graph.indptr[1:], strict=False)]
    kept = [node for node, others in enumerate(near) if len(others) <= MOST]
    number = {node: i for i, node in enumerate(kept)}
    edges = [(number[a], number[b]) for a, b in combinations(kept, 2) if b in near[a] or near[a] & near[b]]
    lonely = [node for node in kept if len(near[node]) < LEAST]
    edges += [(number[node], len(kept) + i) for i, node in enumerate(lonely)]
    nodes = len(kept) + len(lonely)
    return Graph.from_edges(edges, nodes, [LABEL] * nodes)


def draw(rng: np.random.Generator) -> Pair:
    """Return a random graph with about two neighbours a node, and the graph a step later."""
    nodes = int(rng.integers(6, 15))
    ends = np.array(list(combinations(range(nodes), 2)))
    edges = ends[rng.random(len(ends)) < rng.uniform(1.2, 2.6) / (nodes - 1)]
    graph = Graph.from_edges(edges, nodes, [LABEL] * nodes)
    return Pair(graph, step(graph))


DEGREE_RULES = drawn_task(
    "degree-rules",
    "nodes and edges that come and go by the degrees of nodes",
    GRAPH,
    draw,
    Sizes(train=1000),
)
