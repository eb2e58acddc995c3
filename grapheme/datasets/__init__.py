"""Data sets of pairs, before and after: generated for each task, or read from a user's file."""

from grapheme.datasets.pairs import GraphTask, Pair, PairSets
from grapheme.datasets.registry import sample_pairs, task, tasks

__all__ = ["GraphTask", "Pair", "PairSets", "sample_pairs", "task", "tasks"]
