"""Kernels made of others, for backends that have nothing better: plain classes to use as they are, or to derive from.

A backend that has some kernels of a group itself derives a class and defines those; mypy checks that they are what the
group's Protocol asks for.
"""

from grapheme.backend.compositions.batch import ComposedBatch
from grapheme.backend.compositions.cortex import ComposedCortex

__all__ = ["ComposedBatch", "ComposedCortex"]
