"""The kernel groups of this backend: its own kernels, and what the core composes of them."""

from __future__ import annotations

from grapheme.backend.compositions import ComposedBatch, ComposedCortex
from grapheme_numba import batch, cortex


class NumbaBatch(ComposedBatch):
    """Roll-outs and robustness tests are compiled; a loss is composed of a roll-out and its gradient."""

    rollout = staticmethod(batch.rollout)
    rollout_grad = staticmethod(batch.rollout_grad)
    hard_rollout = staticmethod(batch.hard_rollout)
    hard_errors = staticmethod(batch.hard_errors)
    granularity = staticmethod(batch.granularity)


class NumbaCortex(ComposedCortex):
    """All is compiled but sums over nodes, which numpy does as fast."""

    encode = staticmethod(cortex.encode)
    encode_grad = staticmethod(cortex.encode_grad)
    edit_scores = staticmethod(cortex.edit_scores)
    edit_scores_grad = staticmethod(cortex.edit_scores_grad)
    edit_loss = staticmethod(cortex.edit_loss)
    structural_loss = staticmethod(cortex.structural_loss)
    learn = staticmethod(cortex.learn)
    encode_brains = staticmethod(cortex.encode_brains)
    encode_brains_grad = staticmethod(cortex.encode_brains_grad)
    decode_brains = staticmethod(cortex.decode_brains)
    fuse = staticmethod(cortex.fuse)
    fuse_grad = staticmethod(cortex.fuse_grad)
    collaborate = staticmethod(cortex.collaborate)
