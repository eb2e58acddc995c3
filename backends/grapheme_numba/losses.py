"""Cross entropy of each decision about an edit, compiled."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from grapheme.arrays import Floats
from grapheme.kernels.graph_arrays import GROUP, EditArrays, EditTargets
from grapheme_numba.examples import Work, on_each_thread


def edit_loss(
    edits: EditArrays, targets: EditTargets, nodes: Floats, slots: Floats, pairs: Floats
) -> tuple[Floats, Floats, Floats, Floats]:
    """Return the loss of each example and the gradients of the logits."""
    result, work = edit_loss_work(edits, targets, nodes, slots, pairs)
    on_each_thread(edits.offsets, work)
    return result


def edit_loss_work(
    edits: EditArrays, targets: EditTargets, nodes: Floats, slots: Floats, pairs: Floats
) -> tuple[tuple[Floats, Floats, Floats, Floats], Work]:
    """Return arrays for losses and gradients, and the work that fills them."""
    losses = np.zeros(len(edits), nodes.dtype)
    grads = np.empty_like(nodes), np.empty_like(slots), np.empty_like(pairs)
    count, per_node, classes = slots.shape
    flat = slots.reshape(count * per_node, classes), grads[1].reshape(count * per_node, classes)
    wanted = targets.slots.reshape(-1)

    def work(groups: np.ndarray) -> None:
        _cross_entropy(edits.offsets, 1, nodes, targets.nodes, losses, grads[0], groups)
        _cross_entropy(edits.offsets, per_node, flat[0], wanted, losses, flat[1], groups)
        _cross_entropy(edits.pair_offsets, 1, pairs, targets.pairs, losses, grads[2], groups)

    return (losses, *grads), work


@njit(cache=True, nogil=True)
def _cross_entropy(offsets: Any, rows: int, logits: Any, wanted: Any, losses: Any, grad: Any, groups: Any) -> None:
    """Add the loss of each example, which has ``rows`` decisions for each entry of its stretch."""
    examples = offsets.shape[0] - 1
    zero, one = logits.dtype.type(0), logits.dtype.type(1)
    for group in groups:
        for example in range(group * GROUP, min((group + 1) * GROUP, examples)):
            total = zero
            for row in range(offsets[example] * rows, offsets[example + 1] * rows):
                largest = logits[row, 0]
                for j in range(1, logits.shape[1]):
                    largest = max(largest, logits[row, j])
                scale = zero
                for j in range(logits.shape[1]):
                    grad[row, j] = np.exp(logits[row, j] - largest)
                    scale += grad[row, j]
                for j in range(logits.shape[1]):
                    grad[row, j] /= scale
                chosen = wanted[row]
                total -= logits[row, chosen] - largest - np.log(scale)
                grad[row, chosen] -= one
            losses[example] += total
