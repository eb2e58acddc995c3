"""Message passing, scores of edits, their losses and the fusion of brains; each concept has its own file."""

from __future__ import annotations

from grapheme_cupy.brains import decode_brains, encode_brains, encode_brains_grad
from grapheme_cupy.encoder import encode, encode_grad
from grapheme_cupy.fusion import collaborate, fuse, fuse_grad
from grapheme_cupy.heads import edit_scores, edit_scores_grad
from grapheme_cupy.losses import edit_loss
from grapheme_cupy.structure import structural_loss

__all__ = [
    "collaborate",
    "decode_brains",
    "edit_loss",
    "edit_scores",
    "edit_scores_grad",
    "encode",
    "encode_brains",
    "encode_brains_grad",
    "encode_grad",
    "fuse",
    "fuse_grad",
    "structural_loss",
]
