"""Differentiable logic cellular automata."""

from grapheme.ca.hard import HardCircuit
from grapheme.ca.model import DiffLogicCA
from grapheme.ca.trainer import GridBatch, Trainer

__all__ = ["DiffLogicCA", "GridBatch", "HardCircuit", "Trainer"]
