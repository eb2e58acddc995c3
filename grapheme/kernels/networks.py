"""Kernels of the group ``cortex`` made of its others: a whole step, brain after brain, sums by way of the host."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from grapheme.arrays import Array
from grapheme.kernels.cortex import Settings
from grapheme.kernels.graph_arrays import EditArrays, EditTargets, GraphArrays, WholeTargets
from grapheme.kernels.parameters import EncoderLayout, HeadsLayout
from grapheme.kernels.recipe import Recipe
from grapheme.timing import section

if TYPE_CHECKING:
    from grapheme.backend import Backend


def _learn(backend: Backend) -> Callable[..., tuple[Any, ...]]:
    encode, encode_grad = backend.kernel("cortex.encode"), backend.kernel("cortex.encode_grad")
    scores, scores_grad = backend.kernel("cortex.edit_scores"), backend.kernel("cortex.edit_scores_grad")

    def learn(
        encoder: EncoderLayout,
        heads: HeadsLayout,
        graphs: GraphArrays,
        edits: EditArrays,
        targets: EditTargets | WholeTargets,
        encoder_parameters: Array,
        heads_parameters: Array,
        settings: Settings | None,
    ) -> tuple[Any, ...]:
        loss = backend.kernel("cortex.edit_loss" if settings is None else "cortex.structural_loss")
        with section("forward"):
            states, sums = encode(encoder, graphs, encoder_parameters)
            logits = scores(heads, edits, heads_parameters, states[-1, ...])
        with section("loss"):
            losses, *grads = loss(edits, targets, *logits, *(settings or ()))
        with section("backward"):
            grad, heads_parts = scores_grad(heads, edits, heads_parameters, states[-1, ...], *grads)
            encoder_parts = encode_grad(encoder, graphs, encoder_parameters, states, sums, grad)
        return losses, logits, encoder_parts, heads_parts

    return learn


def _encode_brains(backend: Backend) -> Callable[..., list[Array]]:
    encode = backend.kernel("cortex.encode")

    def encode_brains(
        layouts: Sequence[EncoderLayout], graphs: Sequence[GraphArrays], parameters: Sequence[Array]
    ) -> list[Array]:
        return [encode(*brain) for brain in zip(layouts, graphs, parameters, strict=True)]

    return encode_brains


def _encode_brains_grad(backend: Backend) -> Callable[..., list[Array]]:
    encode_grad = backend.kernel("cortex.encode_grad")

    def encode_brains_grad(
        layouts: Sequence[EncoderLayout],
        graphs: Sequence[GraphArrays],
        parameters: Sequence[Array],
        encoded: Sequence[tuple[Array, Array]],
        grads: Sequence[Array],
    ) -> list[Array]:
        brains = zip(layouts, graphs, parameters, encoded, grads, strict=True)
        return [encode_grad(layout, batch, vector, *states, grad) for layout, batch, vector, states, grad in brains]

    return encode_brains_grad


def _decode_brains(backend: Backend) -> Callable[..., list[tuple[Any, ...]]]:
    scores, loss = backend.kernel("cortex.edit_scores"), backend.kernel("cortex.edit_loss")
    scores_grad = backend.kernel("cortex.edit_scores_grad")

    def decode(
        layout: HeadsLayout, edits: EditArrays, targets: EditTargets, parameters: Array, embeddings: Array
    ) -> tuple[Any, ...]:
        with section("forward"):
            logits = scores(layout, edits, parameters, embeddings)
        with section("loss"):
            losses, *grads = loss(edits, targets, *logits)
        with section("backward"):
            return losses, logits, *scores_grad(layout, edits, parameters, embeddings, *grads)

    def decode_brains(
        layouts: Sequence[HeadsLayout],
        edits: Sequence[EditArrays],
        targets: Sequence[EditTargets],
        parameters: Sequence[Array],
        embeddings: Sequence[Array],
    ) -> list[tuple[Any, ...]]:
        return [decode(*brain) for brain in zip(layouts, edits, targets, parameters, embeddings, strict=True)]

    return decode_brains


def _node_sums(backend: Backend) -> Callable[[GraphArrays, Array], Array]:
    def node_sums(graphs: GraphArrays, rows: Array) -> Array:
        return backend.asarray(np.add.reduceat(backend.to_numpy(rows), graphs.offsets[:-1], axis=0))

    return node_sums


COMPOSED = {
    "cortex.learn": Recipe(
        ("cortex.encode", "cortex.encode_grad", "cortex.edit_scores", "cortex.edit_scores_grad"), _learn
    ),
    "cortex.encode_brains": Recipe(("cortex.encode",), _encode_brains),
    "cortex.encode_brains_grad": Recipe(("cortex.encode_grad",), _encode_brains_grad),
    "cortex.decode_brains": Recipe(
        ("cortex.edit_scores", "cortex.edit_loss", "cortex.edit_scores_grad"), _decode_brains
    ),
    "cortex.node_sums": Recipe((), _node_sums),
}
"""For a backend that gains nothing from taking steps or brains at once, or whose arrays are the host's."""
