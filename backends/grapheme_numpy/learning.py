"""A whole step of a network that learns edits: each example goes all the way to its loss and back, alone."""

from __future__ import annotations

import numpy as np

from grapheme.arrays import Floats
from grapheme.kernels.cortex import Settings
from grapheme.kernels.graph_arrays import EditArrays, EditTargets, GraphArrays, WholeTargets
from grapheme.kernels.parameters import EncoderLayout, HeadsLayout
from grapheme.timing import section
from grapheme_numpy.encoder import encode, encode_grad
from grapheme_numpy.examples import each, in_groups
from grapheme_numpy.heads import Logits, edit_scores, edit_scores_grad
from grapheme_numpy.losses import edit_loss
from grapheme_numpy.structure import structural_loss


def learn(
    encoder: EncoderLayout, heads: HeadsLayout, graphs: GraphArrays, edits: EditArrays,
    targets: EditTargets | WholeTargets, encoder_parameters: Floats, heads_parameters: Floats,
    settings: Settings | None,
) -> tuple[Floats, Logits, Floats, Floats]:  # fmt: skip
    """Return losses, logits and the gradients of the parameters."""
    losses, nodes, slots, pairs, of_encoder, of_heads = zip(
        *(
            _example(
                encoder, heads, graphs.take(alone), edits.take(alone), targets.take(alone, edits),
                encoder_parameters, heads_parameters, settings,
            )
            for alone in each(len(graphs))
        ),
        strict=True,
    )  # fmt: skip
    logits = np.concatenate(nodes), np.concatenate(slots), np.concatenate(pairs)
    return np.array(losses), logits, in_groups(of_encoder), in_groups(of_heads)


def _example(
    encoder: EncoderLayout, heads: HeadsLayout, graph: GraphArrays, edits: EditArrays,
    target: EditTargets | WholeTargets, encoder_parameters: Floats, heads_parameters: Floats,
    settings: Settings | None,
) -> tuple[np.floating, Floats, Floats, Floats, Floats, Floats]:  # fmt: skip
    """Return the loss of one example, its logits and the gradient (parameters,) of encoder and heads."""
    with section("forward"):
        states, sums = encode(encoder, graph, encoder_parameters)
        logits = edit_scores(heads, edits, heads_parameters, states[encoder.layers])
    with section("loss"):
        if settings is None:
            assert isinstance(target, EditTargets)
            (loss,), *grads = edit_loss(edits, target, *logits)
        else:
            assert isinstance(target, WholeTargets)
            (loss,), *grads = structural_loss(edits, target, *logits, *settings)
    with section("backward"):
        grad, (of_heads,) = edit_scores_grad(heads, edits, heads_parameters, states[encoder.layers], *grads)
        (of_encoder,) = encode_grad(encoder, graph, encoder_parameters, states, sums, grad)
    return loss, *logits, of_encoder, of_heads
