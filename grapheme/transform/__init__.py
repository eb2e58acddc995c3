"""Graph to graph: a network that learns edits from pairs of graphs."""

from grapheme.transform.align import align
from grapheme.transform.apply import Edits, apply_edits
from grapheme.transform.model import GraphEditNet, NetShape
from grapheme.transform.space import EditSpace
from grapheme.transform.store import load
from grapheme.transform.vocabulary import Vocabulary

__all__ = ["EditSpace", "Edits", "GraphEditNet", "NetShape", "Vocabulary", "align", "apply_edits", "load"]
