"""Random graphs and their k-cores: what is learnt from, and what is right."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from grapheme.arrays import Bits


class Graphs(NamedTuple):
    """Graphs of one size, and the nodes of each that are in its k-core."""

    adjacency: Bits
    """(graphs, nodes, nodes), symmetric, without loops."""
    members: Bits
    """(graphs, nodes)"""


def draw(rng: np.random.Generator, graphs: int, nodes: int, core: int) -> Graphs:
    """Return random graphs after Gilbert (1959), each with a density of its own.

    Degrees are around ``core``, where some nodes are in the k-core and some are not: the mean degree of a graph is
    between half of it and one more than twice of it.
    """
    degree = rng.uniform(0.5 * core, 2 * core + 1, (graphs, 1, 1))
    above = np.triu(rng.random((graphs, nodes, nodes)) < degree / (nodes - 1), 1)
    adjacency = above | above.transpose(0, 2, 1)
    return Graphs(adjacency, core_members(adjacency, core))


def core_members(adjacency: Bits, core: int) -> Bits:
    """Return which nodes (graphs, nodes) are in the k-core: those that have ``core`` neighbours in it, or more.

    Nodes with too few are taken away until nothing changes (Seidman, 1983). A round takes at least one, so that there
    are no more rounds than nodes.
    """
    members = np.ones(adjacency.shape[:2], np.bool_)
    for _ in range(adjacency.shape[1]):
        members = (adjacency & members[:, None, :]).sum(axis=2) >= core
    return members
