"""Whole training steps and all brains at once, made of the kernels for one part of a step and one brain."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from grapheme.arrays import Array, ArrayEngine
from grapheme.kernels.cortex import CortexKernels, Settings
from grapheme.kernels.graph_arrays import EditArrays, EditTargets, GraphArrays, WholeTargets
from grapheme.kernels.parameters import EncoderLayout, HeadsLayout
from grapheme.timing import section


class ComposedCortex(CortexKernels):
    """The group ``cortex`` for a backend that gains nothing from taking steps or brains at once.

    A derived class defines the other kernels of the group, and whichever of these it does better itself.
    """

    def __init__(self, engine: ArrayEngine) -> None:
        self._engine = engine

    def learn(
        self,
        encoder: EncoderLayout,
        heads: HeadsLayout,
        graphs: GraphArrays,
        edits: EditArrays,
        targets: EditTargets | WholeTargets,
        encoder_parameters: Array,
        heads_parameters: Array,
        settings: Settings | None,
    ) -> tuple[Array, tuple[Array, Array, Array], Array, Array]:
        """Take the parts of a step one after another, the whole batch at a time."""
        with section("forward"):
            states, sums = self.encode(encoder, graphs, encoder_parameters)
            logits = self.edit_scores(heads, edits, heads_parameters, states[-1, ...])
        with section("loss"):
            losses, *grads = self._loss(edits, targets, logits, settings)
        with section("backward"):
            grad, heads_parts = self.edit_scores_grad(heads, edits, heads_parameters, states[-1, ...], *grads)
            encoder_parts = self.encode_grad(encoder, graphs, encoder_parameters, states, sums, grad)
        return losses, logits, encoder_parts, heads_parts

    def encode_brains(
        self, layouts: Sequence[EncoderLayout], graphs: Sequence[GraphArrays], parameters: Sequence[Array]
    ) -> list[tuple[Array, Array]]:
        """Encode for one brain after another."""
        return [self.encode(*brain) for brain in zip(layouts, graphs, parameters, strict=True)]

    def encode_brains_grad(
        self,
        layouts: Sequence[EncoderLayout],
        graphs: Sequence[GraphArrays],
        parameters: Sequence[Array],
        encoded: Sequence[tuple[Array, Array]],
        grads: Sequence[Array],
    ) -> list[Array]:
        """Go back for one brain after another."""
        brains = zip(layouts, graphs, parameters, encoded, grads, strict=True)
        return [
            self.encode_grad(layout, batch, vector, states, sums, grad)
            for layout, batch, vector, (states, sums), grad in brains
        ]

    def decode_brains(
        self,
        layouts: Sequence[HeadsLayout],
        edits: Sequence[EditArrays],
        targets: Sequence[EditTargets],
        parameters: Sequence[Array],
        embeddings: Sequence[Array],
    ) -> list[tuple[Array, tuple[Array, Array, Array], Array, Array]]:
        """Decode for one brain after another."""
        return [self._decode(*brain) for brain in zip(layouts, edits, targets, parameters, embeddings, strict=True)]

    def node_sums(self, graphs: GraphArrays, rows: Array) -> Array:
        """Add up on the host."""
        found = np.add.reduceat(self._engine.to_numpy(rows), graphs.offsets[:-1], axis=0)
        return self._engine.asarray(found)

    def _decode(
        self, layout: HeadsLayout, edits: EditArrays, targets: EditTargets, parameters: Array, embeddings: Array
    ) -> tuple[Array, tuple[Array, Array, Array], Array, Array]:
        with section("forward"):
            logits = self.edit_scores(layout, edits, parameters, embeddings)
        with section("loss"):
            losses, *grads = self.edit_loss(edits, targets, *logits)
        with section("backward"):
            grad, parts = self.edit_scores_grad(layout, edits, parameters, embeddings, *grads)
        return losses, logits, grad, parts

    def _loss(
        self,
        edits: EditArrays,
        targets: EditTargets | WholeTargets,
        logits: tuple[Array, Array, Array],
        settings: Settings | None,
    ) -> tuple[Array, Array, Array, Array]:
        if settings is None:
            assert isinstance(targets, EditTargets)
            return self.edit_loss(edits, targets, *logits)
        assert isinstance(targets, WholeTargets)
        return self.structural_loss(edits, targets, *logits, *settings)
