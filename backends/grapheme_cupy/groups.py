"""The kernel groups of this backend: its own kernels, and what the core composes of them."""

from __future__ import annotations

from grapheme.backend.compositions import ComposedBatch, ComposedCortex
from grapheme_cupy import batch, cortex


class CupyBatch(ComposedBatch):
    """Roll-outs are launches; a loss is composed of them, and robustness tests are left to the host."""

    rollout = staticmethod(batch.rollout)
    rollout_grad = staticmethod(batch.rollout_grad)
    hard_rollout = staticmethod(batch.hard_rollout)
    granularity = staticmethod(batch.granularity)


class CupyCortex(ComposedCortex):
    """Every part of a step is a launch over all examples; brains follow one after another."""

    encode = staticmethod(cortex.encode)
    encode_grad = staticmethod(cortex.encode_grad)
    edit_scores = staticmethod(cortex.edit_scores)
    edit_scores_grad = staticmethod(cortex.edit_scores_grad)
    edit_loss = staticmethod(cortex.edit_loss)
    structural_loss = staticmethod(cortex.structural_loss)
    node_sums = staticmethod(cortex.node_sums)
    fuse = staticmethod(cortex.fuse)
    fuse_grad = staticmethod(cortex.fuse_grad)
    collaborate = staticmethod(cortex.collaborate)
