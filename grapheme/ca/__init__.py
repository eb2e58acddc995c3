"""Differentiable logic cellular automata."""

from grapheme.ca.batch import GridBatch
from grapheme.ca.gradients import CellGradients, SampleGradients, cell_gradients, sample_gradients
from grapheme.ca.hard import HardCircuit
from grapheme.ca.model import DiffLogicCA
from grapheme.ca.store import load
from grapheme.ca.trainer import Trainer

__all__ = [
    "CellGradients",
    "DiffLogicCA",
    "GridBatch",
    "HardCircuit",
    "SampleGradients",
    "Trainer",
    "cell_gradients",
    "load",
    "sample_gradients",
]
