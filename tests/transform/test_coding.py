"""Hops between nodes, held against networkx."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest

from grapheme.transform.coding import FAR, CodedGraph


@pytest.mark.parametrize("directed", [False, True])
@pytest.mark.parametrize("most", [0, 1, 3, 9])
def test_hops_are_shortest_ways_whatever_the_direction_of_edges(directed, most):
    for seed in range(5):
        graph = nx.gnp_random_graph(14, 0.12, seed=seed, directed=directed)
        edges = np.array(graph.edges, np.int32).reshape(-1, 2)
        coded = CodedGraph(directed, np.zeros(14, np.int32), edges, np.zeros(len(edges), np.int32))
        expected = np.full((14, 14), FAR)
        for a, ways in nx.all_pairs_shortest_path_length(graph.to_undirected(), cutoff=most):
            for b, length in ways.items():
                expected[a, b] = length
        np.testing.assert_array_equal(coded.hops(most), expected)
