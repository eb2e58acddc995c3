"""A netlist on the device: its levels, as the kernels read them."""

from __future__ import annotations

import functools
from dataclasses import dataclass

import cupy
import numpy as np

from grapheme.arrays import Array
from grapheme.kernels.netlist import Netlist
from grapheme_cupy.geometry import LANES
from grapheme_cupy.levels import levels

MOST_WARPS = 32
"""A thread block holds no more: 1024 threads."""


@dataclass(frozen=True, eq=False)
class Circuit:
    """The arrays of ``Levels`` as arrays of the device; ``sizes`` is the struct ``Circuit`` of circuit.cuh."""

    sizes: Array
    starts: Array
    forward: Array
    outputs: Array
    recompute: Array
    nodes: Array
    readers: Array
    shares: Array
    sharing: Array
    gates: int
    rows: int
    value_rows: int
    grad_rows: int
    threads: tuple[int, int]
    """Threads of a block: lanes, and no more warps than the widest level has gates."""


@functools.lru_cache(maxsize=64)
def on_device(netlist: Netlist, device: int) -> Circuit:
    """Return a netlist's circuit on the current device, number ``device``; kept for the netlists used last."""
    plan = levels(netlist)
    value_rows = plan.inputs + plan.gates
    sizes = (
        plan.inputs, len(plan.outputs), plan.gates, len(plan.starts) - 1,
        plan.rows, value_rows, plan.grad_rows, netlist.parameters,
    )  # fmt: skip
    return Circuit(
        sizes=cupy.asarray(np.array(sizes, np.int32)),
        starts=cupy.asarray(plan.starts),
        forward=cupy.asarray(plan.forward),
        outputs=cupy.asarray(plan.outputs),
        recompute=cupy.asarray(plan.recompute),
        nodes=cupy.asarray(plan.nodes),
        readers=cupy.asarray(plan.readers),
        shares=cupy.asarray(plan.shares),
        sharing=cupy.asarray(plan.sharing),
        gates=plan.gates,
        rows=plan.rows,
        value_rows=value_rows,
        grad_rows=plan.grad_rows,
        threads=(LANES, min(MOST_WARPS, plan.widest)),
    )
