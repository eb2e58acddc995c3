"""Message passing, scores of edits, losses and the fusion of brains; compiled; each concept has its own file."""

from __future__ import annotations

from grapheme_numba.brains import decode_brains, encode_brains, encode_brains_grad
from grapheme_numba.encoder import encode, encode_grad
from grapheme_numba.fusion import collaborate, fuse, fuse_grad
from grapheme_numba.heads import edit_scores, edit_scores_grad
from grapheme_numba.learning import learn
from grapheme_numba.losses import edit_loss
from grapheme_numba.structure import structural_loss

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
    "learn",
    "structural_loss",
]
