"""The kernel group ``batch`` of this backend: its own roll-outs, and what the core composes of them."""

from __future__ import annotations

from grapheme.backend.compositions import ComposedBatch
from grapheme_jax import batch


class JaxBatch(ComposedBatch):
    """Roll-outs are scans; a loss is composed of them, and robustness tests are left to the host."""

    rollout = staticmethod(batch.rollout)
    rollout_grad = staticmethod(batch.rollout_grad)
    hard_rollout = staticmethod(batch.hard_rollout)
    granularity = staticmethod(batch.granularity)
