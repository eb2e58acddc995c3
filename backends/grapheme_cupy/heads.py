"""Scores of edits from the embeddings of nodes, and the gradient back.

The ends of pairs, nodes and nodes to be inserted, are multiplied once each, not once for every pair that they are in.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass

import cupy
import numpy as np

from grapheme.arrays import Array
from grapheme.kernels.cortex import SLOPE
from grapheme.kernels.graph_arrays import EditArrays
from grapheme.kernels.parameters import HeadsLayout
from grapheme_cupy.rows import (
    Segments,
    active,
    add_outer,
    gather,
    group_starts,
    on_device,
    product,
    through_active,
)

Logits = tuple[Array, Array, Array]


def edit_scores(layout: HeadsLayout, edits: EditArrays, parameters: Array, embeddings: Array) -> Logits:
    """Return the logits of nodes, slots and pairs."""
    p, plan, classes = _Blocks(layout, parameters), _plan(layout, edits, parameters.device.id), 1 + layout.labels
    nodes = product(embeddings, p["node"], (layout.width, classes), bias=p["node_bias"])
    keep = product(embeddings, p["keep"], (layout.width, 1), bias=p["keep"][layout.width :])
    gather(keep, plan.kept, 1, nodes, adds=True)
    slots = cupy.empty((len(edits.labels), layout.slots, classes), embeddings.dtype)
    for s in range(layout.slots):
        slots[:, s] = product(embeddings, p.at("slot", s), (layout.width, classes), bias=p.at("slot_bias", s))
    ends, _ = _ends(layout, plan, p, embeddings)
    hidden = active(_hidden(layout, plan, p, ends), SLOPE)
    pairs = product(hidden, p["edge"], (layout.hidden, 1 + layout.edge_labels), bias=p["edge_bias"])
    return nodes, slots, gather(p["direct"], plan.direct, 1 + layout.edge_labels, pairs, adds=True)


def edit_scores_grad(
    layout: HeadsLayout, edits: EditArrays, parameters: Array, embeddings: Array,
    grad_nodes: Array, grad_slots: Array, grad_pairs: Array,
) -> tuple[Array, Array]:  # fmt: skip
    """Pull the gradients of the logits back to embeddings and parameters."""
    p, plan, classes = _Blocks(layout, parameters), _plan(layout, edits, parameters.device.id), 1 + layout.labels
    width, column = (layout.width, classes), (1, classes)
    parts = cupy.zeros((plan.node_starts.shape[0] - 1, layout.size), parameters.dtype)
    add_outer(embeddings, grad_nodes, width, plan.node_starts, parts, p.offset("node"))
    add_outer(None, grad_nodes, column, plan.node_starts, parts, p.offset("node_bias"))
    kept = cupy.empty((len(edits.labels), 1), parameters.dtype)
    kept[:, 0] = grad_nodes.reshape(-1)[plan.kept.targets]
    add_outer(embeddings, kept, (layout.width, 1), plan.node_starts, parts, p.offset("keep"))
    add_outer(None, kept, (1, 1), plan.node_starts, parts, p.offset("keep") + layout.width)
    grad = product(grad_nodes, p["node"], width[::-1], transposed=True)
    product(kept, p["keep"], (1, layout.width), out=grad, adds=True)
    for s in range(layout.slots):
        below = cupy.ascontiguousarray(grad_slots[:, s])
        add_outer(embeddings, below, width, plan.node_starts, parts, p.offset("slot", s))
        add_outer(None, below, column, plan.node_starts, parts, p.offset("slot_bias", s))
        product(below, p.at("slot", s), width[::-1], transposed=True, out=grad, adds=True)
    _pairs_grad(layout, plan, p, parts, embeddings, grad_pairs, grad)
    return grad, parts


def _pairs_grad(
    layout: HeadsLayout, plan: _Plan, p: _Blocks, parts: Array, embeddings: Array, grad_pairs: Array, grad: Array
) -> None:
    """Pull the gradient of pairs back to the nodes, through those to be inserted, and add it to ``grad``."""
    kinds, shape = 1 + layout.edge_labels, (layout.width, layout.hidden)
    ends, sums = _ends(layout, plan, p, embeddings)
    before = _hidden(layout, plan, p, ends)
    add_outer(active(before, SLOPE), grad_pairs, (layout.hidden, kinds), plan.pair_starts, parts, p.offset("edge"))
    add_outer(None, grad_pairs, (1, kinds), plan.pair_starts, parts, p.offset("edge_bias"))
    above = product(grad_pairs, p["edge"], (kinds, layout.hidden), transposed=True)
    hidden = through_active(before, above, SLOPE)
    add_outer(None, hidden, (1, layout.hidden), plan.pair_starts, parts, p.offset("pair_bias"))
    gather(grad_pairs, plan.direct_grad, kinds, parts, adds=True)
    gather(hidden, plan.known_grad, layout.hidden, parts, adds=True)
    grad_ends = cupy.zeros_like(ends)
    nodes = embeddings.shape[0]
    for name, own in (("first", plan.first), (_second(layout), plan.second)):
        arriving = gather(hidden, own, layout.hidden, cupy.zeros((ends.shape[0], layout.hidden), ends.dtype))
        add_outer(ends[:nodes], arriving[:nodes], shape, plan.node_starts, parts, p.offset(name))
        add_outer(ends[nodes:], arriving[nodes:], shape, plan.new_starts, parts, p.offset(name))
        product(arriving, p[name], shape[::-1], transposed=True, out=grad_ends, adds=True)
    grad += grad_ends[:nodes]
    inserted = through_active(sums, grad_ends[nodes:], SLOPE)
    square = (layout.width, layout.width)
    for s, slot in enumerate(plan.slots):
        add_outer(
            embeddings, inserted, square, slot.starts, parts, p.offset("insert", s),
            x_rows=slot.anchors, d_rows=slot.rows,
        )  # fmt: skip
        add_outer(None, inserted, (1, layout.width), slot.starts, parts, p.offset("insert_bias", s), d_rows=slot.rows)
        anchored = product(inserted, p.at("insert", s), square, rows=slot.rows, transposed=True)
        gather(anchored, slot.back, layout.width, grad, adds=True)


def _ends(layout: HeadsLayout, plan: _Plan, p: _Blocks, embeddings: Array) -> tuple[Array, Array]:
    """Return the embeddings of all nodes and of those to be inserted, and the sums under the latter."""
    sums = cupy.empty((plan.inserted, layout.width), embeddings.dtype)
    for s, slot in enumerate(plan.slots):
        product(
            embeddings, p.at("insert", s), (layout.width, layout.width), rows=slot.anchors,
            bias=p.at("insert_bias", s), out=sums, out_rows=slot.rows,
        )  # fmt: skip
    return cupy.concatenate([embeddings, active(sums, SLOPE)]), sums


def _hidden(layout: HeadsLayout, plan: _Plan, p: _Blocks, ends: Array) -> Array:
    """Return the sums under the hidden layer of pairs."""
    shape = (layout.width, layout.hidden)
    first = product(ends, p["first"], shape)
    second = product(ends, p["second"], shape) if layout.directed else first
    hidden = first[plan.a] + second[plan.b] + p["pair_bias"]
    return gather(p["pair"], plan.known, layout.hidden, hidden, adds=True)


def _second(layout: HeadsLayout) -> str:
    return "second" if layout.directed else "first"


@dataclass(frozen=True, eq=False)
class _Blocks:
    """The blocks of a vector of parameters, flat."""

    layout: HeadsLayout
    parameters: Array

    def __getitem__(self, name: str) -> Array:
        block = self.layout.blocks[name]
        return self.parameters[block.offset : block.offset + block.size]

    def at(self, name: str, slot: int) -> Array:
        """Return what one slot has of a block."""
        each = self.layout.blocks[name].size // self.layout.slots
        return self[name][slot * each : (slot + 1) * each]

    def offset(self, name: str, slot: int = 0) -> int:
        """Return where a block begins, or what one slot has of it."""
        block = self.layout.blocks[name]
        return block.offset + slot * (block.size // block.shape[0])


@dataclass(frozen=True, eq=False)
class _Slot:
    """The nodes to be inserted into one slot."""

    rows: Array
    anchors: Array
    starts: Array
    back: Segments


@dataclass(frozen=True, eq=False)
class _Plan:
    """A batch of edits as the kernels walk through it, on the device."""

    inserted: int
    node_starts: Array
    new_starts: Array
    pair_starts: Array
    kept: Segments
    slots: tuple[_Slot, ...]
    a: Array
    b: Array
    first: Segments
    second: Segments
    known: Segments
    direct: Segments
    known_grad: Segments
    direct_grad: Segments


@functools.lru_cache(maxsize=16)
def _plan(layout: HeadsLayout, edits: EditArrays, device: int) -> _Plan:
    """Return the plan of a batch on the current device, number ``device``, kept for the way back."""
    starts = [group_starts(each) for each in (edits.offsets, edits.inserted_offsets, edits.pair_offsets)]
    nodes, kinds = np.arange(len(edits.labels)), 1 + layout.edge_labels
    a, b = _pair_ends(edits)
    pair, feature = np.nonzero(edits.features >= 0)
    row = edits.features[pair, feature].astype(np.int64)
    group = (np.searchsorted(starts[2], pair, side="right") - 1) * layout.size
    known, direct = layout.blocks["pair"].offset, layout.blocks["direct"].offset
    every = np.arange(len(edits.pairs))
    return _Plan(
        len(edits.anchors),
        cupy.asarray(starts[0]),
        cupy.asarray(starts[1]),
        cupy.asarray(starts[2]),
        Segments.of(nodes * (1 + layout.labels) + 1 + edits.labels, nodes),
        tuple(_slot(layout, edits, starts[1], s) for s in range(layout.slots)),
        on_device(a),
        on_device(b),
        Segments.of(a * layout.hidden, every),
        Segments.of(b * layout.hidden, every),
        Segments.of(pair * layout.hidden, row),
        Segments.of(pair * kinds, row),
        Segments.of(group + known + row * layout.hidden, pair),
        Segments.of(group + direct + row * kinds, pair),
    )


def _pair_ends(edits: EditArrays) -> tuple[np.ndarray, np.ndarray]:
    """Return both ends of every pair among the nodes of all examples, followed by those to be inserted."""
    counts = np.diff(edits.offsets)
    example = np.repeat(np.arange(len(edits)), np.diff(edits.pair_offsets))[:, None]
    ends = edits.pairs.astype(np.int64)
    new = len(edits.labels) + edits.inserted_offsets[example] + ends - counts[example]
    both = np.where(ends < counts[example], edits.offsets[example] + ends, new)
    return both[:, 0], both[:, 1]


def _slot(layout: HeadsLayout, edits: EditArrays, starts: np.ndarray, s: int) -> _Slot:
    rows = np.flatnonzero(edits.slots == s)
    example = np.repeat(np.arange(len(edits)), np.diff(edits.inserted_offsets))[rows]
    anchors = edits.offsets[example] + edits.anchors[rows]
    return _Slot(
        on_device(rows),
        on_device(anchors),
        cupy.asarray(np.searchsorted(rows, starts).astype(np.int64)),
        Segments.of(anchors * layout.width, np.arange(len(rows))),
    )
