"""Edit-distance problems as flat arrays, and how far their search has come: the form in which every backend sees them.

Costs are whole numbers, so that no sum depends on its order. Code 0 means "nothing there" for nodes and edges alike:
turning 0 into a code inserts it, turning a code into 0 deletes it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from grapheme.arrays import Ints

DELETED = -1
"""In a mapping: the node becomes none."""
OPEN = -2
"""In a partial mapping: not decided yet."""


@dataclass(frozen=True, eq=False)
class EditProblem:
    """Pairs of graphs out of a batch of ``G`` graphs with up to ``N`` nodes each."""

    nodes: Ints
    """(G, N): the code of each node; 0 after the last."""
    edges: Ints
    """(G, N, N): the code of each pair of nodes, seen from the first; 0 on the diagonal, for loops belong to nodes."""
    node_costs: np.ndarray
    """(node codes, node codes) int64: the cost of turning one into another."""
    edge_costs: np.ndarray
    """(edge codes, edge codes) int64: the same for pairs; never above deletion plus insertion.

    Two pairs cost the same seen from their other ends.
    """
    pairs: Ints
    """(P, 2): the graphs of each pair, the first with no more nodes than the second."""


@dataclass(frozen=True, eq=False)
class EditSearch:
    """What a search knows: the best mapping of each pair, and the subtrees of partial mappings still to look at."""

    upper: np.ndarray
    """(P,) int64: the cost of the best mapping."""
    mapping: Ints
    """(P, N): for each node of the first graph one of the second, or ``DELETED``; ``DELETED`` after the last."""
    owner: Ints
    """(T,): the pair that a subtree belongs to."""
    subtrees: Ints
    """(T, N): partial mappings, ``OPEN`` where undecided."""
    bound: np.ndarray
    """(T,) int64: no mapping of the subtree costs less."""
