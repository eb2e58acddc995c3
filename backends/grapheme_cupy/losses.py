"""How far scores of edits are from what they should be: cross entropy of each decision."""

from __future__ import annotations

import cupy
import numpy as np

from grapheme.arrays import Array
from grapheme.kernels.graph_arrays import EditArrays, EditTargets
from grapheme_cupy.rows import Segments, by_threads, gather, on_device


def edit_loss(
    edits: EditArrays, targets: EditTargets, nodes: Array, slots: Array, pairs: Array
) -> tuple[Array, Array, Array, Array]:
    """Return the loss of each example and the gradients of the logits."""
    losses = cupy.zeros(len(edits), nodes.dtype)
    grads = []
    slot_offsets = edits.offsets * targets.slots.shape[1]
    for logits, wanted, offsets in (
        (nodes, targets.nodes, edits.offsets),
        (slots, targets.slots, slot_offsets),
        (pairs, targets.pairs, edits.pair_offsets),
    ):
        rows, classes = wanted.size, logits.shape[-1]
        each, grad = cupy.empty(rows, logits.dtype), cupy.empty(logits.shape, logits.dtype)
        by_threads(
            "rows_entropy", rows, logits.dtype, logits, on_device(wanted.reshape(-1)), each, grad, np.int64(rows),
            np.int32(classes),
        )  # fmt: skip
        gather(each, Segments.stretches(offsets, 1), 1, losses, adds=True)
        grads.append(grad)
    return losses, grads[0], grads[1], grads[2]
