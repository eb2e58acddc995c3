"""The brains that ship: mathematics, Python and text."""

from __future__ import annotations

from grapheme.cortex.brain import Brain, labels_in, shares
from grapheme.domains.shipped import CODE, TEXT
from grapheme.domains.statements import MATH
from grapheme.graph.abstract import AbstractGraph

BODY = "body["


def _mathematics(graph: AbstractGraph) -> tuple[int, int]:
    """Numbers, operators and functions speak for mathematics; a name may be anything."""
    inner = set(graph.edge_list[:, 1].tolist())
    labels = graph.node_labels or ()
    return shares([node in inner or isinstance(label, (int, float)) for node, label in enumerate(labels)])


def _statements(graph: AbstractGraph) -> tuple[int, int]:
    """Statements speak for a program; an expression alone may be anything."""
    labels = graph.node_labels or ()
    ends = zip(graph.edge_list[:, 0].tolist(), graph.edge_labels or (), strict=True)
    return shares([labels[part] != "Expr" for part, edge in ends if str(edge).startswith(BODY)])


def _letters(graph: AbstractGraph) -> tuple[int, int]:
    return labels_in(graph, lambda label: str(label).isalpha())


MATH_BRAIN = Brain(MATH, "expressions, equations, derivatives and substitutions", _mathematics)
CODE_BRAIN = Brain(CODE, "Python programs", _statements)
TEXT_BRAIN = Brain(TEXT, "text, a character a node", _letters)
