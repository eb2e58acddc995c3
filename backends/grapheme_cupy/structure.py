"""The structural loss: a thread block for each example, with small matrices of its own to work on."""

from __future__ import annotations

import cupy
import numpy as np

from grapheme.arrays import Array
from grapheme.kernels.graph_arrays import EditArrays, WholeTargets
from grapheme_cupy.device import workspaces
from grapheme_cupy.launch import BLOCK_OF_WARPS
from grapheme_cupy.rows import on_device
from grapheme_cupy.sources import kernel


def structural_loss(
    edits: EditArrays, targets: WholeTargets, nodes: Array, slots: Array, pairs: Array,
    weights: tuple[float, float, float], iterations: int, temperature: float,
) -> tuple[Array, Array, Array, Array]:  # fmt: skip
    """Return the loss of each example and the gradients of the logits."""
    (count, classes), kinds = nodes.shape, pairs.shape[1] - 1
    logits = cupy.concatenate([nodes, slots.reshape(count * slots.shape[1], classes)])
    losses, grads, grad_pairs = cupy.empty(len(edits), nodes.dtype), cupy.zeros_like(logits), cupy.empty_like(pairs)
    examples = _examples(edits, targets)
    room = int(np.maximum(examples[:, 1], examples[:, 5]).max(initial=0))
    sizes = np.array([len(edits), room, classes, kinds, iterations, targets.directed], np.int64)
    if len(edits):
        words = room * (6 * classes + 3 + room * (9 + 2 * iterations + 4 * kinds))
        blocks = workspaces(len(edits), int(np.prod(BLOCK_OF_WARPS)), words * nodes.itemsize)
        kernel("structure.cu", "structure_loss", nodes.dtype)(
            (blocks,), BLOCK_OF_WARPS,
            (cupy.asarray(sizes), cupy.asarray(np.array([*weights, temperature], nodes.dtype)), cupy.asarray(examples),
             on_device(_places(edits, slots.shape[1])), on_device(edits.pairs), on_device(targets.labels),
             on_device(targets.edges), cupy.asarray(targets.triangles.astype(nodes.dtype)), logits, pairs,
             cupy.empty((blocks, words), nodes.dtype), losses, grads, grad_pairs),
        )  # fmt: skip
    return losses, grads[:count], grads[count:].reshape(slots.shape), grad_pairs


def _examples(edits: EditArrays, targets: WholeTargets) -> np.ndarray:
    """Return a struct ``Example`` of soft_graph.cuh for each example: where each of its parts begins, and its size."""
    soft = edits.offsets + edits.inserted_offsets
    columns = [
        column
        for offsets in (soft, edits.pair_offsets, targets.offsets, targets.edge_offsets)
        for column in (offsets[:-1], np.diff(offsets))
    ]
    return np.ascontiguousarray(np.stack(columns, axis=1), np.int64)


def _places(edits: EditArrays, slots: int) -> np.ndarray:
    """Return the row of every soft node among the logits of all nodes, followed by those of all slots."""
    nodes, inserted = np.diff(edits.offsets), np.diff(edits.inserted_offsets)
    anchors = np.repeat(edits.offsets[:-1], inserted) + edits.anchors
    places = np.empty(len(edits.labels) + len(edits.anchors), np.int64)
    every, new = np.arange(len(edits.labels)), np.arange(len(edits.anchors))
    places[every + np.repeat(edits.inserted_offsets[:-1], nodes)] = every
    places[new + np.repeat(edits.offsets[1:], inserted)] = len(every) + anchors * slots + edits.slots
    return places
