"""The layer that weighs brains by an attention that depends on the input, and fuses what they see."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self, final

import numpy as np

from grapheme.arrays import Array, Floats
from grapheme.backend import Backend
from grapheme.kernels.fusion_arrays import FusionArrays, FusionLayout
from grapheme.models.parameters import Parameters

FUSION = "fusion"


@final
@dataclass(frozen=True, eq=False)
class Fused:
    """What the layer made of a batch; the sums are kept for the way back."""

    parts: tuple[Array, Array, Array, Array, Array]

    @property
    def weights(self) -> Array:
        """(rows,): the attention on each brain that fired; those of a sample sum to 1."""
        return self.parts[1]

    @property
    def contexts(self) -> Array:
        """(samples, embed): what all brains see together."""
        return self.parts[4]


@final
class FusionLayer:
    """Attention over embeddings of brains, and a projection of their mixture; one vector of parameters, "fusion"."""

    def __init__(self, layout: FusionLayout, parameters: Floats) -> None:
        if parameters.shape != (layout.size,):
            raise ValueError(f"a fusion layer has {layout.size} parameters, not {parameters.size}")
        self.layout, self.parameters = layout, Parameters({FUSION: parameters})

    @classmethod
    def build(cls, brains: int, embed: int, hidden: int, dtype: str, rng: np.random.Generator) -> Self:
        """Return a layer with parameters drawn after Glorot and Bengio (2010)."""
        layout = FusionLayout(brains, embed, hidden)
        return cls(layout, layout.xavier(rng, dtype))

    def on(self, backend: Backend) -> Array:
        """Return the parameters as an array of ``backend``."""
        return self.parameters.on(backend)[FUSION]

    def fuse(self, rows: FusionArrays, embeddings: Array, backend: Backend) -> Fused:
        """Return weights and contexts."""
        return Fused(backend.cortex.fuse(self.layout, rows, self.on(backend), embeddings))

    def pull_back(
        self, rows: FusionArrays, embeddings: Array, fused: Fused, weights: Array, contexts: Array, backend: Backend
    ) -> tuple[Array, Array]:
        """Return the gradients of embeddings and, as partial sums, of parameters."""
        kernel = backend.cortex.fuse_grad
        grad, parts = kernel(self.layout, rows, self.on(backend), embeddings, fused.parts, weights, contexts)
        return grad, parts
