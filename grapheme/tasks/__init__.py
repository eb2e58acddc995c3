"""Tasks that turn one graph into another: where the pairs come from, and how a graph of each kind is written."""

from grapheme.tasks.pairs import Domain, GraphTask, Pair, PairSets
from grapheme.tasks.registry import task, tasks

__all__ = ["Domain", "GraphTask", "Pair", "PairSets", "task", "tasks"]
