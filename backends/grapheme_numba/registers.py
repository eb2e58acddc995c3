"""Which row of a small workspace each node of a netlist lives in, so that what is in use stays in cache."""

from __future__ import annotations

import functools
from dataclasses import dataclass

import numpy as np

from grapheme.arrays import Ints
from grapheme.netlist import Netlist


@dataclass(frozen=True)
class Registers:
    """Rows for the values of a forward pass and for the gradients of a backward pass; dead gates are left out.

    ``forward`` and ``outputs`` share rows between nodes that are never in use together. The backward pass needs every
    value again (``recompute``) but its gradients share rows (``backward``, ``seeds``), since the gradient of a node is
    in use only from its last reader down to its own gate. Inputs keep rows ``0 .. inputs-1`` everywhere.
    """

    live: Ints
    """(gates,): the gates, in order, that some output depends on."""
    forward: Ints
    """(gates, 4): rows of a, b and out, parameter."""
    outputs: Ints
    """(channels,): rows of the outputs after the forward pass."""
    rows: int
    recompute: Ints
    """(gates, 4): as ``forward``, with a row for every node."""
    value_rows: int
    backward: Ints
    """(gates, 3): rows of the gradients of a, b and out."""
    seeds: Ints
    """(channels,): rows of the gradients of the outputs."""
    grad_rows: int


@functools.lru_cache(maxsize=64)
def allocate(netlist: Netlist) -> Registers:
    """Return the registers of a netlist, kept for the netlists used last."""
    live = netlist.live_gates()
    forward_row, rows = _forward_rows(netlist, live)
    value_row = np.full(netlist.nodes, -1, np.int32)
    value_row[: netlist.inputs] = np.arange(netlist.inputs)
    value_row[netlist.inputs + live] = netlist.inputs + np.arange(len(live))
    grad_row, grad_rows = _grad_rows(netlist, live)
    a, b, out, param = netlist.a[live], netlist.b[live], netlist.inputs + live, netlist.param[live]
    return Registers(
        live=live,
        forward=_columns(forward_row[a], forward_row[b], forward_row[out], param),
        outputs=forward_row[netlist.outputs],
        rows=rows,
        recompute=_columns(value_row[a], value_row[b], value_row[out], param),
        value_rows=netlist.inputs + len(live),
        backward=_columns(grad_row[a], grad_row[b], grad_row[out]),
        seeds=grad_row[netlist.outputs],
        grad_rows=grad_rows,
    )


def _columns(*columns: np.ndarray) -> Ints:
    return np.ascontiguousarray(np.stack(columns, axis=1), dtype=np.int32)


def _forward_rows(netlist: Netlist, live: Ints) -> tuple[Ints, int]:
    """Give each live gate a row that no node in use has: a row is free again after its last reader."""
    last = np.full(netlist.nodes, -1)
    for gate in live:
        last[netlist.a[gate]] = last[netlist.b[gate]] = gate
    last[netlist.outputs] = netlist.gates
    pool = _Pool(netlist)
    for gate in live:
        for node in {int(netlist.a[gate]), int(netlist.b[gate])}:
            if last[node] == gate:
                pool.release(node)
        pool.take(netlist.inputs + gate)
    return pool.row, pool.rows


def _grad_rows(netlist: Netlist, live: Ints) -> tuple[Ints, int]:
    """Give each node a row from its last reader (the first one met backwards) until its own gate is done."""
    pool = _Pool(netlist)
    for node in netlist.outputs:
        pool.take(node)
    for gate in live[::-1]:
        pool.take(netlist.a[gate])
        pool.take(netlist.b[gate])
        pool.release(netlist.inputs + gate)
    return pool.row, pool.rows


class _Pool:
    """Rows that are handed out and taken back; the inputs own theirs for good."""

    def __init__(self, netlist: Netlist) -> None:
        self.inputs = self.rows = netlist.inputs
        self.row = np.full(netlist.nodes, -1, np.int32)
        self.row[: self.inputs] = np.arange(self.inputs)
        self.free: list[int] = []

    def take(self, node: int) -> None:
        if self.row[node] < 0:
            if not self.free:
                self.free.append(self.rows)
                self.rows += 1
            self.row[node] = self.free.pop()

    def release(self, node: int) -> None:
        if node >= self.inputs:
            self.free.append(int(self.row[node]))
