"""Message passing: each relation's messages are summed at the nodes they enter, then multiplied, layer by layer."""

from __future__ import annotations

import functools
from dataclasses import dataclass

import cupy
import numpy as np

from grapheme.arrays import Array
from grapheme.kernels.cortex import EPSILON, SLOPE
from grapheme.kernels.graph_arrays import GraphArrays
from grapheme.kernels.parameters import EncoderLayout
from grapheme_cupy.rows import NULL, Segments, add_outer, by_warps, gather, group_starts, on_device, product


def encode(layout: EncoderLayout, graphs: GraphArrays, parameters: Array) -> tuple[Array, Array]:
    """Return states and sums of all nodes."""
    plan, width, nodes = _plan(layout, graphs, parameters.dtype.name, parameters.device.id), layout.width, graphs.nodes
    states = cupy.empty((layout.layers + 1, nodes, width), parameters.dtype)
    sums = cupy.empty((layout.layers, nodes, width), parameters.dtype)
    for number, table in enumerate(plan.tables):
        gather(_block(layout, parameters, table.name), table.forwards, width, states[0], adds=number > 0)
    for k in range(layout.layers):
        product(states[k], *_matrix(layout, parameters, k, 0), bias=_vector(layout, parameters, "bias", k), out=sums[k])
        for r, relation in enumerate(plan.relations):
            entering = relation.entering(states[k], width)
            product(entering, *_matrix(layout, parameters, k, 1 + r), out=sums[k], out_rows=relation.nodes, adds=True)
        by_warps(
            "rows_activate", nodes, parameters.dtype, states[k], sums[k], *_norm(layout, parameters, k),
            *_constants(parameters), states[k + 1], np.int64(nodes), np.int32(width),
        )  # fmt: skip
    return states, sums


def encode_grad(
    layout: EncoderLayout, graphs: GraphArrays, parameters: Array, states: Array, sums: Array, grad: Array
) -> Array:
    """Pull the gradient of the last state back to the parameters, layer by layer from the last."""
    plan, width = _plan(layout, graphs, parameters.dtype.name, parameters.device.id), layout.width
    parts = cupy.zeros((len(plan.starts) - 1, layout.size), parameters.dtype)
    above, square, row = grad.copy(), (width, width), (1, width)
    for k in reversed(range(layout.layers)):
        below = _through_activation(layout, plan, parameters, parts, k, sums[k], above)
        add_outer(None, below, row, plan.starts, parts, _offset(layout, "bias", k))
        add_outer(states[k], below, square, plan.starts, parts, _offset(layout, "weights", k))
        product(below, *_matrix(layout, parameters, k, 0), transposed=True, out=above, adds=True)
        for r, relation in enumerate(plan.relations):
            entering = relation.entering(states[k], width)
            offset = _offset(layout, "weights", k) + (1 + r) * width * width
            add_outer(entering, below, square, relation.starts, parts, offset, d_rows=relation.nodes)
            matrix = _matrix(layout, parameters, k, 1 + r)
            leaving = product(below, *matrix, rows=relation.nodes, transposed=True)
            gather(leaving, relation.backwards, width, above, adds=True)
    for table in plan.tables:
        gather(above, table.backwards, width, parts, adds=True)
    return parts


def _through_activation(
    layout: EncoderLayout, plan: _Plan, parameters: Array, parts: Array, k: int, sums: Array, above: Array
) -> Array:
    """Return the gradient of a layer's sums, given that of its activations."""
    nodes, width = sums.shape
    below, shown, gained = (cupy.empty_like(sums) for _ in range(3))
    by_warps(
        "rows_activate_grad", nodes, sums.dtype, above, sums, *_norm(layout, parameters, k), *_constants(parameters),
        below, shown, gained, np.int64(nodes), np.int32(width),
    )  # fmt: skip
    if layout.norm:
        add_outer(None, gained, (1, width), plan.starts, parts, _offset(layout, "gain", k))
        add_outer(None, shown, (1, width), plan.starts, parts, _offset(layout, "shift", k))
    return below


@dataclass(frozen=True, eq=False)
class _Relation:
    """The messages of one relation."""

    nodes: Array
    """Those that messages enter, ascending."""
    starts: Array
    """Where each group of examples begins among them."""
    forwards: Segments
    backwards: Segments

    def entering(self, state: Array, width: int) -> Array:
        """Return the sum, or mean, of the states that enter each of the nodes."""
        return gather(state, self.forwards, width, cupy.empty((self.nodes.shape[0], width), state.dtype))


@dataclass(frozen=True, eq=False)
class _Table:
    """Rows of parameters, one of which each node takes: forwards to the states, backwards to the parts."""

    name: str
    forwards: Segments
    backwards: Segments


@dataclass(frozen=True, eq=False)
class _Plan:
    """A batch of graphs as the kernels walk through it, on the device."""

    starts: Array
    """Where the nodes of each group of examples begin."""
    relations: tuple[_Relation, ...]
    tables: tuple[_Table, ...]


@functools.lru_cache(maxsize=16)
def _plan(layout: EncoderLayout, graphs: GraphArrays, dtype: str, device: int) -> _Plan:
    """Return the plan of a batch on the current device, number ``device``, kept for the way back."""
    starts = group_starts(graphs.offsets)
    entered = np.repeat(np.arange(graphs.nodes), np.diff(graphs.indptr))
    relations = tuple(_relation(layout, graphs, entered, starts, r, dtype) for r in range(layout.relations))
    tables = tuple(_table(layout, graphs, starts, name) for name in ("label", "into", "out_of"))
    return _Plan(cupy.asarray(starts), relations, tables)


def _relation(
    layout: EncoderLayout, graphs: GraphArrays, entered: np.ndarray, starts: np.ndarray, r: int, dtype: str
) -> _Relation:
    chosen = graphs.relations == r
    sources, targets = graphs.sources[chosen].astype(np.int64), entered[chosen]
    nodes, place, count = np.unique(targets, return_inverse=True, return_counts=True)
    scales = (1 / count[place]).astype(dtype) if layout.mean else None
    return _Relation(
        on_device(nodes),
        cupy.asarray(np.searchsorted(nodes, starts).astype(np.int64)),
        Segments.of(place * layout.width, sources, scales),
        Segments.of(sources * layout.width, place, scales),
    )


def _table(layout: EncoderLayout, graphs: GraphArrays, starts: np.ndarray, name: str) -> _Table:
    rows = {"label": graphs.labels, "into": graphs.into, "out_of": graphs.out_of}[name].astype(np.int64)
    nodes = np.arange(graphs.nodes)
    group = np.searchsorted(starts, nodes, side="right") - 1
    target = group * layout.size + layout.blocks[name].offset + rows * layout.width
    return _Table(name, Segments.of(nodes * layout.width, rows), Segments.of(target, nodes))


def _block(layout: EncoderLayout, parameters: Array, name: str) -> Array:
    block = layout.blocks[name]
    return parameters[block.offset : block.offset + block.size]


def _offset(layout: EncoderLayout, name: str, k: int) -> int:
    """Return where layer k begins in a block."""
    block = layout.blocks[name]
    each = block.size // max(1, block.shape[0])
    return block.offset + (0 if layout.shared else k) * each


def _matrix(layout: EncoderLayout, parameters: Array, k: int, number: int) -> tuple[Array, tuple[int, int]]:
    size = layout.width * layout.width
    begin = _offset(layout, "weights", k) + number * size
    return parameters[begin : begin + size], (layout.width, layout.width)


def _vector(layout: EncoderLayout, parameters: Array, name: str, k: int) -> Array:
    begin = _offset(layout, name, k)
    return parameters[begin : begin + layout.width]


def _norm(layout: EncoderLayout, parameters: Array, k: int) -> tuple[Array, Array]:
    """Return gain and shift of a layer, or nothing."""
    if not layout.norm:
        return NULL, NULL
    return _vector(layout, parameters, "gain", k), _vector(layout, parameters, "shift", k)


def _constants(parameters: Array) -> tuple[np.floating, np.floating]:
    real = parameters.dtype.type
    return real(SLOPE), real(EPSILON)
