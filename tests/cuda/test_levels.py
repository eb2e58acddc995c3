"""The levels of a netlist: who waits for whom, and which rows are in use together."""

from __future__ import annotations

import numpy as np
import pytest
from grapheme_cupy.levels import levels

from grapheme.kernels.netlist import Netlist
from grapheme.testing import random_netlist


@pytest.mark.parametrize("seed", range(20))
def test_rows_are_written_after_they_were_last_read(seed):
    """Walk the levels and remember which node each row holds: whoever reads a row finds the node it wants."""
    rng = np.random.default_rng(seed)
    netlist = random_netlist(rng, channels=2, gates=int(rng.integers(0, 60)), parameters=7)
    plan = levels(netlist)
    holds = {row: row for row in range(netlist.inputs)}
    for start, end in zip(plan.starts[:-1], plan.starts[1:], strict=True):
        written = {}
        for gate in range(start, end):
            (a, b, out, _), (kept_a, kept_b, kept_out, _) = plan.forward[gate], plan.recompute[gate]
            assert holds[a] == kept_a
            assert holds[b] == kept_b
            assert out not in written
            assert out not in set(plan.forward[start:end, :2].ravel())
            written[out] = kept_out
        holds |= written
    live = netlist.live_gates()
    place = {netlist.inputs + gate: None for gate in live}
    assert len(place) == plan.gates
    assert max(holds) < plan.rows <= plan.inputs + plan.gates
    outputs = [holds[row] for row in plan.outputs]
    assert [node < netlist.inputs for node in outputs] == [node < netlist.inputs for node in netlist.outputs]


def test_a_circuit_by_hand():
    """Two gates on the first level, one on the second that reads both, and a dead one."""
    netlist = Netlist.build(3, [0, 1, 3, 0], [1, 2, 4, 0], [1, 0, 1, 0], [5, 2], 2)
    plan = levels(netlist)
    assert plan.starts.tolist() == [0, 2, 3]
    assert plan.recompute.tolist() == [[0, 1, 3, 1], [1, 2, 4, 0], [3, 4, 5, 1]]
    assert plan.rows == 5  # the last gate takes the row of an input that is no longer read
    assert plan.shares.tolist() == [0, 1, 3]
    assert plan.sharing.tolist() == [1, 0, 2]
    first, end = plan.nodes[1][:2]  # input 1 is b of gate 0 and a of gate 1
    assert plan.readers[first:end, 1:].tolist() == [[2, 1, 3], [0, 6, 7]]
    first, end = plan.nodes[2][:2]  # input 2 is output 1, and b of gate 1
    assert plan.readers[first:end, 0].tolist()[0] == -2
    assert end - first == 2


def test_a_circuit_of_wires():
    plan = levels(Netlist.build(9, [], [], [], [4], 1))
    assert (plan.gates, plan.rows, plan.grad_rows, plan.starts.tolist()) == (0, 9, 0, [0])
