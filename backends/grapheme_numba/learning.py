"""A whole step of a network that learns edits: each thread takes groups of examples all the way and back."""

from __future__ import annotations

import numpy as np

from grapheme.arrays import Floats
from grapheme.kernels.cortex import Settings
from grapheme.kernels.graph_arrays import EditArrays, EditTargets, GraphArrays, WholeTargets
from grapheme.kernels.parameters import EncoderLayout, HeadsLayout
from grapheme.timing import side_by_side
from grapheme_numba.encoder import encode_grad_work, encode_work
from grapheme_numba.examples import Work, on_each_thread
from grapheme_numba.heads import edit_scores_grad_work, edit_scores_work
from grapheme_numba.losses import edit_loss_work
from grapheme_numba.structure import structural_loss_work


def learn(
    encoder: EncoderLayout, heads: HeadsLayout, graphs: GraphArrays, edits: EditArrays,
    targets: EditTargets | WholeTargets, encoder_parameters: Floats, heads_parameters: Floats,
    settings: Settings | None,
) -> tuple[Floats, tuple[Floats, Floats, Floats], Floats, Floats]:  # fmt: skip
    """Return losses, logits and the gradients of the parameters."""
    (states, sums), encode = encode_work(encoder, graphs, encoder_parameters)
    logits, score = edit_scores_work(heads, edits, heads_parameters, states[-1])
    (losses, *grads), compare = _loss_work(edits, targets, logits, settings)
    (grad, heads_parts), score_back = edit_scores_grad_work(heads, edits, heads_parameters, states[-1], *grads)
    encoder_parts, encode_back = encode_grad_work(encoder, graphs, encoder_parameters, states, sums, grad)
    with side_by_side() as mark:

        def work(groups: np.ndarray) -> None:
            with mark("forward"):
                encode(groups)
                score(groups)
            with mark("loss"):
                compare(groups)
            with mark("backward"):
                score_back(groups)
                encode_back(groups)

        on_each_thread(graphs.offsets, work)
    return losses, logits, encoder_parts, heads_parts


def _loss_work(
    edits: EditArrays, targets: EditTargets | WholeTargets, logits: tuple[Floats, Floats, Floats],
    settings: Settings | None,
) -> tuple[tuple[Floats, Floats, Floats, Floats], Work]:  # fmt: skip
    if isinstance(targets, WholeTargets):
        assert settings is not None
        return structural_loss_work(edits, targets, *logits, *settings)
    return edit_loss_work(edits, targets, *logits)
