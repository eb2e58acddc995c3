"""Differentiable logic cellular automata."""

from grapheme.ca.batch import GridBatch
from grapheme.ca.hard import HardCircuit
from grapheme.ca.model import DiffLogicCA
from grapheme.ca.store import load
from grapheme.ca.trainer import Trainer

__all__ = ["DiffLogicCA", "GridBatch", "HardCircuit", "Trainer", "load"]
