"""Message passing, scores of edits, losses and the fusion of brains; each concept has its own file."""

from __future__ import annotations

from grapheme_numpy.brains import decode_brains, encode_brains, encode_brains_grad
from grapheme_numpy.encoder import encode, encode_grad
from grapheme_numpy.fusion import collaborate, fuse, fuse_grad
from grapheme_numpy.heads import edit_scores, edit_scores_grad
from grapheme_numpy.learning import learn
from grapheme_numpy.losses import edit_loss
from grapheme_numpy.pooling import node_sums
from grapheme_numpy.structure import structural_loss

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
    "node_sums",
    "structural_loss",
]
