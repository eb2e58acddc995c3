"""Several brains: one after another, and of each one graph after another, alone."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from grapheme.arrays import Floats
from grapheme.kernels.graph_arrays import EditArrays, EditTargets, GraphArrays
from grapheme.kernels.parameters import EncoderLayout, HeadsLayout
from grapheme_numpy.encoder import encode, encode_grad
from grapheme_numpy.examples import each, in_groups
from grapheme_numpy.heads import Logits, edit_scores, edit_scores_grad
from grapheme_numpy.losses import edit_loss

Decoded = tuple[Floats, Logits, Floats, Floats]


def encode_brains(
    layouts: Sequence[EncoderLayout], graphs: Sequence[GraphArrays], parameters: Sequence[Floats]
) -> list[tuple[Floats, Floats]]:
    """Return states and sums of each brain's graphs."""
    found = []
    for layout, batch, vector in zip(layouts, graphs, parameters, strict=True):
        states, sums = zip(*(encode(layout, batch.take(alone), vector) for alone in each(len(batch))), strict=True)
        found.append((np.concatenate(states, axis=1), np.concatenate(sums, axis=1)))
    return found


def encode_brains_grad(
    layouts: Sequence[EncoderLayout],
    graphs: Sequence[GraphArrays],
    parameters: Sequence[Floats],
    encoded: Sequence[tuple[Floats, Floats]],
    grads: Sequence[Floats],
) -> list[Floats]:
    """Pull the gradients of each brain's last states back to its parameters."""
    found = []
    for layout, batch, vector, (states, sums), grad in zip(layouts, graphs, parameters, encoded, grads, strict=True):
        parts = []
        for alone, first, last in zip(each(len(batch)), batch.offsets[:-1], batch.offsets[1:], strict=True):
            known = states[:, first:last], sums[:, first:last]
            parts += [*encode_grad(layout, batch.take(alone), vector, *known, grad[first:last])]
        found.append(in_groups(parts))
    return found


def decode_brains(
    layouts: Sequence[HeadsLayout],
    edits: Sequence[EditArrays],
    targets: Sequence[EditTargets],
    parameters: Sequence[Floats],
    embeddings: Sequence[Floats],
) -> list[Decoded]:
    """Return each brain's losses, logits and gradients."""
    return [_decode(*brain) for brain in zip(layouts, edits, targets, parameters, embeddings, strict=True)]


def _decode(
    layout: HeadsLayout, edits: EditArrays, targets: EditTargets, parameters: Floats, embeddings: Floats
) -> Decoded:
    """Return what the heads of one brain make of its samples' nodes."""
    losses, nodes, slots, pairs, grads, parts = zip(
        *(
            _example(layout, edits.take(alone), targets.take(alone, edits), parameters, embeddings[first:last])
            for alone, first, last in zip(each(len(edits)), edits.offsets[:-1], edits.offsets[1:], strict=True)
        ),
        strict=True,
    )
    logits = np.concatenate(nodes), np.concatenate(slots), np.concatenate(pairs)
    return np.array(losses), logits, np.concatenate(grads), in_groups(parts)


def _example(
    layout: HeadsLayout, edits: EditArrays, target: EditTargets, parameters: Floats, embeddings: Floats
) -> tuple[np.floating, Floats, Floats, Floats, Floats, Floats]:
    """Return the loss of one sample, its logits and the gradients of its nodes and of the parameters (parameters,)."""
    logits = edit_scores(layout, edits, parameters, embeddings)
    (loss,), *back = edit_loss(edits, target, *logits)
    grad, (part,) = edit_scores_grad(layout, edits, parameters, embeddings, *back)
    return loss, *logits, grad, part
