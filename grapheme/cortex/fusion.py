"""The layer that weighs brains by an attention that depends on the input, and fuses what they see."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self, final

import numpy as np

from grapheme.arrays import Array, Floats
from grapheme.backend import Backend
from grapheme.kernels.fusion_arrays import FusionArrays, FusionLayout


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
    """Attention over embeddings of brains, and a projection of their mixture; one vector of parameters.

    The vector is an array of ``home``, or of the host if there is none.
    """

    def __init__(self, layout: FusionLayout, parameters: Array, home: Backend | None = None) -> None:
        if parameters.shape != (layout.size,):
            raise ValueError(f"a fusion layer has {layout.size} parameters, not {parameters.size}")
        self.layout, self._parameters, self._home = layout, parameters, home

    @classmethod
    def build(cls, brains: int, embed: int, hidden: int, dtype: str, rng: np.random.Generator) -> Self:
        """Return a layer with parameters drawn after Glorot and Bengio (2010)."""
        layout = FusionLayout(brains, embed, hidden)
        return cls(layout, layout.xavier(rng, dtype))

    def to_host(self) -> Floats:
        """Return the parameters as a numpy array."""
        return np.asarray(self._parameters) if self._home is None else self._home.to_numpy(self._parameters)

    def on(self, backend: Backend) -> Array:
        """Return the parameters as an array of ``backend``."""
        return self._parameters if self._home is backend else backend.asarray(self.to_host())

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
