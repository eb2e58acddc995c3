"""Cliques as networkx returns them: lists of names."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import accumulate, count, pairwise

import numpy as np

from grapheme.arrays import Ints
from grapheme.graph.cliques import iter_k_cliques, maximal_cliques
from grapheme.graph.graph import Graph
from grapheme.networkx_backend.named import Name, NamedGraph

BLOCK = 1 << 16
"""Cliques to list at a time: a caller may want only the first few."""


def enumerate_all_cliques(G: NamedGraph) -> Iterator[list[Name]]:  # noqa: N803 (networkx passes it by this name)
    """Yield the cliques of one node, of two and so on, each and all of a size in the order of the nodes."""
    for k in count(1):
        size = 0
        for rows in iter_k_cliques(G.graph, k, BLOCK, max_k=k):
            size += len(rows)
            yield from G.named(rows)
        if not size:
            return


def find_cliques(G: NamedGraph, nodes: Sequence[Name] | None = None) -> Iterator[list[Name]]:  # noqa: N803
    """Yield the maximal cliques, or those of them that contain all ``nodes``."""
    if nodes is None:
        yield from _named(G, maximal_cliques(G.graph))
    elif G.names:
        yield from _cliques_with(G, list(nodes))


def _cliques_with(graph: NamedGraph, nodes: list[Name]) -> Iterator[list[Name]]:
    """Yield ``nodes`` with each maximal clique among the neighbours that all of them have."""
    common = _common_neighbours(graph, nodes)
    if not common:
        yield nodes
        return
    among = Graph.from_scipy(graph.graph.to_scipy()[common][:, common])
    cliques = [np.array(common, np.int32)[clique] for clique in maximal_cliques(among)]
    yield from (nodes + clique for clique in _named(graph, cliques))


def _named(graph: NamedGraph, cliques: list[Ints]) -> Iterator[list[Name]]:
    """Yield cliques by name; names are looked up for a block at once, which is several times faster than for each."""
    for start in range(0, len(cliques), BLOCK):
        block = cliques[start : start + BLOCK]
        names, ends = graph.named(np.concatenate(block)), accumulate(map(len, block), initial=0)
        yield from (names[a:b] for a, b in pairwise(ends))


def _common_neighbours(graph: NamedGraph, nodes: list[Name]) -> list[int]:
    indptr, indices = graph.graph.indptr, graph.graph.indices
    common = set(range(graph.graph.nodes))
    for name in nodes:
        node = graph.numbers.get(name, -1)
        if node not in common:
            raise ValueError(f"The given `nodes` {nodes} do not form a clique")
        common &= set(indices[indptr[node] : indptr[node + 1]].tolist()) - {node}
    return sorted(common)
