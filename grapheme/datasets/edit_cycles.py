"""Hubs that go round in a cycle of edits, after the data set of that name in Graph Edit Networks (Paassen et al. 2021).

The hubs make a tree. Each is at one of four places of the cycle, its label, and all take one step at once:

1. a ``bare`` hub grows a leaf and becomes ``single``;
2. a ``single`` hub grows a second leaf and becomes ``double``;
3. the two leaves of a ``double`` hub are joined by an edge, and it becomes ``closed``;
4. a ``closed`` hub drops both leaves and the edge between them, and is ``bare`` again.
"""

from __future__ import annotations

import numpy as np

from grapheme.datasets.drawing import Sizes, drawn_task
from grapheme.datasets.pairs import Pair
from grapheme.domains.shipped import GRAPH
from grapheme.graph import Graph

PLACES = ("bare", "single", "double", "closed")
LEAVES = (0, 1, 2, 2)
"""How many leaves a hub has at each place of the cycle."""
LEAF = "leaf"


def stage(tree: np.ndarray, places: np.ndarray) -> Graph:
    """Return the graph of hubs joined by ``tree`` (hubs - 1, 2), each at its place (hubs,) of the cycle."""
    labels = [PLACES[place] for place in places]
    edges = tree.tolist()
    for hub, place in enumerate(places):
        leaves = [len(labels) + i for i in range(LEAVES[place])]
        labels += [LEAF] * len(leaves)
        edges += [(hub, leaf) for leaf in leaves]
        if PLACES[place] == "closed":
            edges.append(tuple(leaves))
    return Graph.from_edges(edges, len(labels), labels)


def draw(rng: np.random.Generator) -> Pair:
    """Return a random tree of hubs, and the same tree a step later."""
    hubs = int(rng.integers(3, 9))
    tree = np.array([(rng.integers(hub), hub) for hub in range(1, hubs)])
    places = rng.integers(len(PLACES), size=hubs)
    return Pair(stage(tree, places), stage(tree, (places + 1) % len(PLACES)))


EDIT_CYCLES = drawn_task(
    "edit-cycles",
    "hubs that grow, join and drop leaves in a cycle",
    GRAPH,
    draw,
    Sizes(500, 600, 300),
)
