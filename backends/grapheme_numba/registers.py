"""Which row of a small workspace each node of a netlist lives in, so that what is in use stays in cache."""

from __future__ import annotations

import functools
from typing import Any, NamedTuple

import numpy as np
from numba import njit

from grapheme.arrays import Ints
from grapheme.kernels.netlist import Netlist

A, B, OUT, PARAM = range(4)
"""Columns of a gate: the rows of its inputs and of its output, and its row among the parameters."""


class Forward(NamedTuple):
    """Rows for the values of a forward pass, shared between nodes that are never in use together."""

    gates: Ints
    """(gates, 4): columns A, B, OUT and PARAM."""
    outputs: Ints
    """(channels,): rows of the outputs after the pass."""


class Backward(NamedTuple):
    """Rows for a backward pass, which needs every value again.

    Its gradients share rows, since the gradient of a node is in use only from its last reader down to its own gate.
    """

    recompute: Ints
    """(gates, 4): columns A, B, OUT and PARAM, with a row for the value of every node."""
    gates: Ints
    """(gates, 3): rows of the gradients, columns A, B and OUT."""
    seeds: Ints
    """(channels,): rows of the gradients of the outputs."""


class Registers(NamedTuple):
    """Rows of both passes; dead gates are left out, and inputs keep rows ``0 .. inputs-1`` everywhere."""

    live: Ints
    """(gates,): the gates, in order, that some output depends on."""
    forward: Forward
    rows: int
    """How many rows a forward pass needs."""
    backward: Backward
    value_rows: int
    """How many a backward pass needs for values, and for gradients."""
    grad_rows: int


@functools.lru_cache(maxsize=64)
def allocate(netlist: Netlist) -> Registers:
    """Return the registers of a netlist, kept for the netlists used last."""
    live = netlist.live_gates()
    wires = (netlist.inputs, netlist.a, netlist.b, netlist.outputs, live)
    forward_row, rows = _forward_rows(*wires)
    value_row = np.full(netlist.nodes, -1, np.int32)
    value_row[: netlist.inputs] = np.arange(netlist.inputs)
    value_row[netlist.inputs + live] = netlist.inputs + np.arange(len(live))
    grad_row, grad_rows = _grad_rows(*wires)
    a, b, out, param = netlist.a[live], netlist.b[live], netlist.inputs + live, netlist.param[live]
    return Registers(
        live=live,
        forward=Forward(
            _columns(forward_row[a], forward_row[b], forward_row[out], param), forward_row[netlist.outputs]
        ),
        rows=rows,
        backward=Backward(
            recompute=_columns(value_row[a], value_row[b], value_row[out], param),
            gates=_columns(grad_row[a], grad_row[b], grad_row[out]),
            seeds=grad_row[netlist.outputs],
        ),
        value_rows=netlist.inputs + len(live),
        grad_rows=grad_rows,
    )


def _columns(*columns: np.ndarray) -> Ints:
    return np.ascontiguousarray(np.stack(columns, axis=1), dtype=np.int32)


@njit(cache=True)
def _forward_rows(inputs: int, a: Any, b: Any, outputs: Any, live: Any) -> Any:
    """Give each live gate a row that no node in use has: a row is free again after its last reader."""
    last = np.full(inputs + len(a), -1)
    for gate in live:
        last[a[gate]] = last[b[gate]] = gate
    last[outputs] = len(a)
    row, free, spare, rows = _pool(inputs, len(a))
    for gate in live:
        for node in (a[gate], b[gate]):
            if last[node] == gate:
                last[node] = -1
                spare = _release(node, inputs, row, free, spare)
        spare, rows = _take(inputs + gate, row, free, spare, rows)
    return row, rows


@njit(cache=True)
def _grad_rows(inputs: int, a: Any, b: Any, outputs: Any, live: Any) -> Any:
    """Give each node a row from its last reader (the first one met backwards) until its own gate is done."""
    row, free, spare, rows = _pool(inputs, len(a))
    for node in outputs:
        spare, rows = _take(node, row, free, spare, rows)
    for gate in live[::-1]:
        spare, rows = _take(a[gate], row, free, spare, rows)
        spare, rows = _take(b[gate], row, free, spare, rows)
        spare = _release(inputs + gate, inputs, row, free, spare)
    return row, rows


@njit(cache=True)
def _pool(inputs: int, gates: int) -> Any:
    """Return the rows (nodes,) of nodes, a stack of free rows, its height, and how many rows there are.

    The inputs own theirs for good.
    """
    row = np.full(inputs + gates, -1, np.int32)
    row[:inputs] = np.arange(inputs)
    return row, np.empty(gates + 1, np.int32), 0, inputs


@njit(cache=True)
def _take(node: int, row: Any, free: Any, spare: int, rows: int) -> Any:
    """Give a node a row, unless it has one; return the height of the stack and how many rows there are."""
    if row[node] >= 0:
        return spare, rows
    if spare:
        row[node] = free[spare - 1]
        return spare - 1, rows
    row[node] = rows
    return 0, rows + 1


@njit(cache=True)
def _release(node: int, inputs: int, row: Any, free: Any, spare: int) -> int:
    """Take a node's row back; return the height of the stack."""
    if node < inputs:
        return spare
    free[spare] = row[node]
    return spare + 1
