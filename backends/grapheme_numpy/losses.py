"""How far scores of edits are from what they should be: cross entropy of each decision."""

from __future__ import annotations

import numpy as np

from grapheme.arrays import Floats
from grapheme.kernels.graph_arrays import EditArrays, EditTargets


def edit_loss(
    edits: EditArrays, targets: EditTargets, nodes: Floats, slots: Floats, pairs: Floats
) -> tuple[Floats, Floats, Floats, Floats]:
    """Return the loss of each example and the gradients of the logits."""
    losses = np.zeros(len(edits), nodes.dtype)
    grads = []
    for logits, wanted, offsets in (
        (nodes, targets.nodes, edits.offsets),
        (slots, targets.slots, edits.offsets),
        (pairs, targets.pairs, edits.pair_offsets),
    ):
        shifted = logits - logits.max(axis=-1, keepdims=True)
        logs = shifted - np.log(np.exp(shifted).sum(axis=-1, keepdims=True))
        chosen = np.take_along_axis(logs, wanted[..., None].astype(np.int64), axis=-1)[..., 0]
        grad = np.exp(logs)
        np.put_along_axis(
            grad, wanted[..., None].astype(np.int64), np.exp(chosen)[..., None] - grad.dtype.type(1), axis=-1
        )
        grads.append(grad)
        for example in range(len(edits)):
            losses[example] -= chosen[offsets[example] : offsets[example + 1]].sum()
    return losses, grads[0], grads[1], grads[2]
