from __future__ import annotations

import networkx
import numpy as np
import pytest

from grapheme.errors import InvalidInputError
from grapheme.kernels.netlist import Netlist, depths


def test_a_good_netlist_counts_its_parts():
    netlist = Netlist.build(2, [0, 2], [1, 0], [0, 0], [3], 1)
    assert (netlist.gates, netlist.nodes) == (2, 4)
    assert netlist.a.dtype == np.int32


def test_arrays_cannot_be_written():
    netlist = Netlist.build(2, [0], [1], [0], [2], 1)
    with pytest.raises(ValueError, match="read-only"):
        netlist.a[0] = 1


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"a": [0, 3]}, "Gate 1 reads a node that is not written before it"),
        ({"b": [2, 0]}, "Gate 0 reads a node that is not written before it"),
        ({"a": [-1, 0]}, "Gate 0 reads a negative node"),
        ({"param": [0, 1]}, "Gate 1 takes a parameter row that does not exist"),
        ({"outputs": [4]}, "outputs must name nodes 0 to 3"),
        ({"outputs": [-1]}, "outputs must name nodes 0 to 3"),
        ({"a": [0]}, "equally long"),
        ({"a": [0.5, 1.0]}, "one row of integers"),
        ({"inputs": 0}, "at least one input"),
    ],
)
def test_a_bad_netlist_is_refused_in_a_sentence(change, message):
    parts = {"inputs": 2, "a": [0, 2], "b": [1, 0], "param": [0, 0], "outputs": [3], "parameters": 1}
    with pytest.raises(InvalidInputError, match=message):
        Netlist.build(**(parts | change))


def test_depths_are_those_of_networkx_levels():
    rng = np.random.default_rng(3)
    inputs, count = 4, 60
    a, b = (rng.integers(0, np.arange(inputs, inputs + count)) for _ in range(2))
    netlist = Netlist.build(inputs, a, b, np.arange(count), [inputs + count - 1], count)
    graph = networkx.DiGraph()
    graph.add_nodes_from(range(netlist.nodes))
    graph.add_edges_from((read, inputs + gate) for side in (a, b) for gate, read in enumerate(side.tolist()))
    expected = {node: depth for depth, nodes in enumerate(networkx.topological_generations(graph)) for node in nodes}
    assert netlist.depths().tolist() == [expected[node] for node in range(netlist.nodes)]


def test_a_gate_that_reads_nothing_has_depth_one():
    assert depths(2, [(), (2, 0), (1,), (3, 4)]) == [0, 0, 1, 2, 1, 3]
