"""Several brains: each one's own network on its own graphs, one after the other."""

from __future__ import annotations

from collections.abc import Sequence

from grapheme.arrays import Array
from grapheme.graph_arrays import EditArrays, EditTargets, GraphArrays
from grapheme.parameters import EncoderLayout, HeadsLayout
from grapheme_cupy.encoder import encode, encode_grad
from grapheme_cupy.heads import Logits, edit_scores, edit_scores_grad
from grapheme_cupy.losses import edit_loss


def encode_brains(
    layouts: Sequence[EncoderLayout], graphs: Sequence[GraphArrays], parameters: Sequence[Array]
) -> list[tuple[Array, Array]]:
    """Return states and sums of each brain's graphs."""
    return [encode(*brain) for brain in zip(layouts, graphs, parameters, strict=True)]


def encode_brains_grad(
    layouts: Sequence[EncoderLayout],
    graphs: Sequence[GraphArrays],
    parameters: Sequence[Array],
    encoded: Sequence[tuple[Array, Array]],
    grads: Sequence[Array],
) -> list[Array]:
    """Pull the gradients of each brain's last states back to its parameters."""
    brains = zip(layouts, graphs, parameters, encoded, grads, strict=True)
    return [encode_grad(layout, batch, vector, *states, grad) for layout, batch, vector, states, grad in brains]


def decode_brains(
    layouts: Sequence[HeadsLayout],
    edits: Sequence[EditArrays],
    targets: Sequence[EditTargets],
    parameters: Sequence[Array],
    embeddings: Sequence[Array],
) -> list[tuple[Array, Logits, Array, Array]]:
    """Return each brain's losses, logits and gradients."""
    return [_decode(*brain) for brain in zip(layouts, edits, targets, parameters, embeddings, strict=True)]


def _decode(
    layout: HeadsLayout, edits: EditArrays, targets: EditTargets, parameters: Array, embeddings: Array
) -> tuple[Array, Logits, Array, Array]:
    logits = edit_scores(layout, edits, parameters, embeddings)
    losses, *grads = edit_loss(edits, targets, *logits)
    return losses, logits, *edit_scores_grad(layout, edits, parameters, embeddings, *grads)
