"""Several brains at once: every group of samples of every brain is work that any thread may take."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from grapheme.arrays import Floats
from grapheme.kernels.graph_arrays import EditArrays, EditTargets, GraphArrays
from grapheme.kernels.parameters import EncoderLayout, HeadsLayout
from grapheme.timing import Mark, side_by_side
from grapheme_numba.encoder import encode_grad_work, encode_work
from grapheme_numba.examples import Work, together
from grapheme_numba.heads import edit_scores_grad_work, edit_scores_work
from grapheme_numba.losses import edit_loss_work


def encode_brains(
    layouts: Sequence[EncoderLayout], graphs: Sequence[GraphArrays], parameters: Sequence[Floats]
) -> list[tuple[Floats, Floats]]:
    """Return states and sums of each brain's graphs."""
    prepared = [encode_work(*brain) for brain in zip(layouts, graphs, parameters, strict=True)]
    together([batch.offsets for batch in graphs], [work for _, work in prepared])
    return [result for result, _ in prepared]


def encode_brains_grad(
    layouts: Sequence[EncoderLayout],
    graphs: Sequence[GraphArrays],
    parameters: Sequence[Floats],
    encoded: Sequence[tuple[Floats, Floats]],
    grads: Sequence[Floats],
) -> list[Floats]:
    """Pull the gradients of each brain's last states back to its parameters."""
    brains = zip(layouts, graphs, parameters, encoded, grads, strict=True)
    prepared = [encode_grad_work(layout, batch, own, *states, grad) for layout, batch, own, states, grad in brains]
    together([batch.offsets for batch in graphs], [work for _, work in prepared])
    return [result for result, _ in prepared]


def decode_brains(
    layouts: Sequence[HeadsLayout],
    edits: Sequence[EditArrays],
    targets: Sequence[EditTargets],
    parameters: Sequence[Floats],
    embeddings: Sequence[Floats],
) -> list[tuple[Floats, tuple[Floats, Floats, Floats], Floats, Floats]]:
    """Return each brain's losses, logits and gradients."""
    with side_by_side() as mark:
        prepared = [
            _decode(*brain, mark) for brain in zip(layouts, edits, targets, parameters, embeddings, strict=True)
        ]
        together([batch.offsets for batch in edits], [work for _, work in prepared])
    return [result for result, _ in prepared]


def _decode(
    layout: HeadsLayout, edits: EditArrays, targets: EditTargets, parameters: Floats, embeddings: Floats, mark: Mark
) -> tuple[tuple[Floats, tuple[Floats, Floats, Floats], Floats, Floats], Work]:
    """Return arrays for a brain's results, and the work that fills them: a group goes all the way at once."""
    logits, scores = edit_scores_work(layout, edits, parameters, embeddings)
    (losses, *grads), loss = edit_loss_work(edits, targets, *logits)
    pulled, back = edit_scores_grad_work(layout, edits, parameters, embeddings, *grads)

    def work(groups: np.ndarray) -> None:
        with mark("forward"):
            scores(groups)
        with mark("loss"):
            loss(groups)
        with mark("backward"):
            back(groups)

    return (losses, logits, *pulled), work
