"""Message passing, scores of edits and losses; each concept has its own file."""

from __future__ import annotations

from grapheme_numpy.encoder import encode, encode_grad
from grapheme_numpy.heads import edit_scores, edit_scores_grad
from grapheme_numpy.losses import edit_loss
from grapheme_numpy.structure import structural_loss

__all__ = ["edit_loss", "edit_scores", "edit_scores_grad", "encode", "encode_grad", "structural_loss"]
