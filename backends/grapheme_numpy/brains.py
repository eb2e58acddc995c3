"""Several brains: each one's own network on its own graphs, one after the other."""

from __future__ import annotations

from collections.abc import Sequence

from grapheme.arrays import Floats
from grapheme.graph_arrays import EditArrays, EditTargets, GraphArrays
from grapheme.parameters import EncoderLayout, HeadsLayout
from grapheme_numpy.encoder import encode, encode_grad
from grapheme_numpy.heads import Logits, edit_scores, edit_scores_grad
from grapheme_numpy.losses import edit_loss


def encode_brains(
    layouts: Sequence[EncoderLayout], graphs: Sequence[GraphArrays], parameters: Sequence[Floats]
) -> list[tuple[Floats, Floats]]:
    """Return states and sums of each brain's graphs."""
    return [encode(*brain) for brain in zip(layouts, graphs, parameters, strict=True)]


def encode_brains_grad(
    layouts: Sequence[EncoderLayout],
    graphs: Sequence[GraphArrays],
    parameters: Sequence[Floats],
    encoded: Sequence[tuple[Floats, Floats]],
    grads: Sequence[Floats],
) -> list[Floats]:
    """Pull the gradients of each brain's last states back to its parameters."""
    brains = zip(layouts, graphs, parameters, encoded, grads, strict=True)
    return [encode_grad(layout, batch, vector, *states, grad) for layout, batch, vector, states, grad in brains]


def decode_brains(
    layouts: Sequence[HeadsLayout],
    edits: Sequence[EditArrays],
    targets: Sequence[EditTargets],
    parameters: Sequence[Floats],
    embeddings: Sequence[Floats],
) -> list[tuple[Floats, Logits, Floats, Floats]]:
    """Return each brain's losses, logits and gradients."""
    return [_decode(*brain) for brain in zip(layouts, edits, targets, parameters, embeddings, strict=True)]


def _decode(
    layout: HeadsLayout, edits: EditArrays, targets: EditTargets, parameters: Floats, embeddings: Floats
) -> tuple[Floats, Logits, Floats, Floats]:
    logits = edit_scores(layout, edits, parameters, embeddings)
    losses, *grads = edit_loss(edits, targets, *logits)
    return losses, logits, *edit_scores_grad(layout, edits, parameters, embeddings, *grads)
