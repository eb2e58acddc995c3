"""A netlist cut into levels: gates that read only levels below them, evaluated together."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import jax.numpy as jnp
import numpy as np

from grapheme.kernels.netlist import Netlist

Array = Any
Gate = Callable[[Array, Array, Array], Array]
"""(values of a, values of b, parameter rows (gates, 4)) -> values of the gates."""


@dataclass(frozen=True)
class Level:
    """Gates of one depth: which lower levels they read, where in those, and which parameter rows they take."""

    reads: tuple[int, ...]
    a: np.ndarray
    b: np.ndarray
    param: np.ndarray


@dataclass(frozen=True)
class Levels:
    """Level 0 is the inputs; ``outputs`` are positions in all levels put one after another."""

    gates: tuple[Level, ...]
    outputs: np.ndarray


@functools.lru_cache(maxsize=64)
def levelled(netlist: Netlist) -> Levels:
    """Return the levels of a netlist, kept for the netlists used last."""
    depth = netlist.depths()
    members = [np.flatnonzero(depth == level) for level in range(int(depth.max()) + 1)]
    place = np.empty(netlist.nodes, np.int64)
    for nodes in members:
        place[nodes] = np.arange(len(nodes))
    sizes = np.array([len(nodes) for nodes in members])
    gates = tuple(_level(netlist, nodes - netlist.inputs, depth, place, sizes) for nodes in members[1:])
    starts = np.concatenate([[0], np.cumsum(sizes)])
    return Levels(gates, starts[depth[netlist.outputs]] + place[netlist.outputs])


def evaluate(netlist: Netlist, table: Array, inputs: Array, gate: Gate) -> Array:
    """Return a circuit's outputs ``(channel, ...)`` of ``inputs (9 * channel, ...)``; ``table (parameters, 4)``."""
    levels = levelled(netlist)
    values = [inputs]
    for level in levels.gates:
        below = jnp.concatenate([values[i] for i in level.reads]) if len(level.reads) > 1 else values[level.reads[0]]
        rows = table[level.param].reshape(-1, 4, *([1] * (inputs.ndim - 1)))
        values.append(gate(below[level.a], below[level.b], rows))
    return jnp.concatenate(values)[levels.outputs]


def _level(netlist: Netlist, gates: np.ndarray, depth: np.ndarray, place: np.ndarray, sizes: np.ndarray) -> Level:
    a, b = netlist.a[gates], netlist.b[gates]
    reads = np.unique(np.concatenate([depth[a], depth[b]]))
    starts = dict(zip(reads.tolist(), np.concatenate([[0], np.cumsum(sizes[reads])]).tolist(), strict=False))
    offset = np.array([starts.get(level, 0) for level in range(len(sizes))])
    return Level(tuple(reads.tolist()), offset[depth[a]] + place[a], offset[depth[b]] + place[b], netlist.param[gates])
