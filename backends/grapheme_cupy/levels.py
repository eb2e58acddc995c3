"""A netlist cut into levels of gates that do not read each other, and where their values and gradients live."""

from __future__ import annotations

import functools
from dataclasses import dataclass

import numpy as np

from grapheme.arrays import Ints
from grapheme.kernels.netlist import Netlist

FOREVER = 2**30
"""Later than any level."""


@dataclass(frozen=True, eq=False)
class Levels:
    """The live gates of a netlist, level by level; gate g of them owns row ``inputs + g`` where every value is kept."""

    inputs: int
    gates: int
    starts: Ints
    """(levels + 1,): where each level begins."""
    forward: Ints
    """(gates, 4): rows of a, b and out, parameter; nodes that are never in use together share a row."""
    outputs: Ints
    """(channels,): rows of the outputs after ``forward``."""
    rows: int
    recompute: Ints
    """(gates, 4): as ``forward``, with a row for every node."""
    nodes: Ints
    """(inputs + gates, 4): first reader, past the last one, row of the gradient, 0."""
    readers: Ints
    """(edges, 4): row of the reader's gradient, row of its other operand, places of the two coefficients of the slope;
    or, for output c of the circuit, -1 - c and zeros."""
    grad_rows: int
    shares: Ints
    """(parameters + 1,): where the gates that share a parameter begin in ``sharing``."""
    sharing: Ints
    """(gates,): gates by parameter."""

    @property
    def widest(self) -> int:
        """How many gates the widest level has."""
        return int(np.diff(self.starts).max(initial=1))


@functools.lru_cache(maxsize=64)
def levels(netlist: Netlist) -> Levels:
    """Return the levels of a netlist, kept for the netlists used last."""
    depth = netlist.depths()
    live = netlist.live_gates()
    order = live[np.argsort(depth[netlist.inputs + live], kind="stable")]
    a, b, out, param = netlist.a[order], netlist.b[order], netlist.inputs + order, netlist.param[order]
    place = np.full(netlist.nodes, -1, np.int32)
    place[np.concatenate([np.arange(netlist.inputs), out])] = np.arange(netlist.inputs + len(order))
    row, rows = _rows(*_in_use_forwards(netlist, order, depth))
    grad_row, grad_rows = _rows(-depth[out], -np.minimum(depth[a], depth[b]))
    readers, first = _readers(netlist, place[a], place[b], place[netlist.outputs], param, grad_row)
    own_grad = np.concatenate([np.zeros(netlist.inputs, np.int32), grad_row])
    sharing = np.argsort(param, kind="stable")
    return Levels(
        inputs=netlist.inputs,
        gates=len(order),
        starts=np.searchsorted(depth[out], np.arange(1, depth[out].max(initial=0) + 2)).astype(np.int32),
        forward=_columns(row[place[a]], row[place[b]], row[place[out]], param),
        outputs=row[place[netlist.outputs]],
        rows=rows,
        recompute=_columns(place[a], place[b], place[out], param),
        nodes=_columns(first[:-1], first[1:], own_grad, np.zeros_like(own_grad)),
        readers=readers,
        grad_rows=grad_rows,
        shares=np.searchsorted(param[sharing], np.arange(netlist.parameters + 1)).astype(np.int32),
        sharing=sharing.astype(np.int32),
    )


def _columns(*columns: np.ndarray) -> Ints:
    return np.ascontiguousarray(np.stack(columns, axis=1), dtype=np.int32)


def _in_use_forwards(netlist: Netlist, order: Ints, depth: Ints) -> tuple[Ints, Ints]:
    """Return from which level to which the value of each input and live gate is in use."""
    last = depth.copy()
    for side in (netlist.a, netlist.b):
        np.maximum.at(last, side[order], depth[netlist.inputs + order])
    last[netlist.outputs] = FOREVER
    nodes = np.concatenate([np.arange(netlist.inputs), netlist.inputs + order])
    return depth[nodes], last[nodes]


def _rows(born: Ints, dies: Ints) -> tuple[Ints, int]:
    """Give each item a row that is its own from time ``born`` to ``dies``, both included; return how many there are.

    Items born first, and among them earlier ones, get the lower of fresh rows, so inputs have rows 0, 1, 2, ...
    """
    row, rows = np.zeros(len(born), np.int32), 0
    free: list[int] = []
    for time in np.unique(born):
        for item in np.flatnonzero(born == time):
            if not free:
                free.append(rows)
                rows += 1
            row[item] = free.pop()
        following = born[born > time].min(initial=FOREVER)
        free += row[(born <= time) & (dies >= time) & (dies < following)].tolist()
    return row, rows


def _readers(netlist: Netlist, a: Ints, b: Ints, outputs: Ints, param: Ints, grad_row: Ints) -> tuple[Ints, Ints]:
    """Return the readers of every node, node after node, and where those of each begin; ``a``, ``b`` are places."""
    zeros, product = np.zeros_like(outputs), 4 * param + 3
    channels = np.arange(len(outputs), dtype=np.int32)
    edges = np.concatenate(
        [
            _columns(-1 - channels, zeros, zeros, zeros),
            _columns(grad_row, b, 4 * param + 1, product),
            _columns(grad_row, a, 4 * param + 2, product),
        ]
    )
    read = np.concatenate([outputs, a, b])
    order = np.argsort(read, kind="stable")
    first = np.searchsorted(read[order], np.arange(netlist.inputs + len(a) + 1)).astype(np.int32)
    return edges[order], first
