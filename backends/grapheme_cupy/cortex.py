"""Message passing, scores of edits, their losses and the fusion of brains; each concept has its own file."""

from __future__ import annotations

from grapheme_cupy.encoder import encode, encode_grad
from grapheme_cupy.fusion import collaborate, fuse, fuse_grad
from grapheme_cupy.heads import edit_scores, edit_scores_grad
from grapheme_cupy.losses import edit_loss
from grapheme_cupy.pooling import node_sums
from grapheme_cupy.structure import structural_loss

__all__ = [
    "collaborate",
    "edit_loss",
    "edit_scores",
    "edit_scores_grad",
    "encode",
    "encode_grad",
    "fuse",
    "fuse_grad",
    "node_sums",
    "structural_loss",
]
