"""The cortex: brains that each read an input in their own way, fused into one that answers with a graph."""

from grapheme.cortex.brain import Brain
from grapheme.cortex.config import CollaborativeCortexConfig
from grapheme.cortex.fusion import FusionLayer
from grapheme.cortex.model import Cortex
from grapheme.cortex.records import BatchLoss, BrainActivation, CollaborativeResult, TrainingStats
from grapheme.cortex.registry import BrainRegistry
from grapheme.cortex.samples import Sample, SampleSets
from grapheme.cortex.store import load
from grapheme.cortex.trainer import CollaborativeCortexTrainer

__all__ = [
    "BatchLoss",
    "Brain",
    "BrainActivation",
    "BrainRegistry",
    "CollaborativeCortexConfig",
    "CollaborativeCortexTrainer",
    "CollaborativeResult",
    "Cortex",
    "FusionLayer",
    "Sample",
    "SampleSets",
    "TrainingStats",
    "load",
]
