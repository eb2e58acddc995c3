"""Mathematics as tasks write it: expressions, and what is said about them.

x^2 + 3                      an expression, as ``MathGraph`` reads it
x^2 + y where x = 3, y = z   what names stand for: an edge labelled ``is`` leads from it to every such name
d/dx x^2 + 3                 something to differentiate: its root is ``d/dx``
2*x + 3 = 7                  an equation: its root is ``=``
"""

from __future__ import annotations

from collections.abc import Hashable

import numpy as np

from grapheme.domains.domain import Domain
from grapheme.errors import InvalidInputError
from grapheme.graph import Graph, MathGraph, expression, tree
from grapheme.graph.abstract import AbstractGraph
from grapheme.graph.tree import Tree

DERIVATIVE, EQUATION, WHERE, IS = "d/dx", "=", " where ", "is"


def parse(text: str) -> AbstractGraph:
    """Return the graph of a statement."""
    if text.startswith(DERIVATIVE):
        return tree.to_graph(Tree(DERIVATIVE, [(0, expression.parse(text.removeprefix(DERIVATIVE)))]))
    if WHERE in text:
        return _with_values(*text.split(WHERE, 1))
    if EQUATION in text:
        left, right = text.split(EQUATION, 1)
        return tree.to_graph(Tree(EQUATION, [(0, expression.parse(left)), (1, expression.parse(right))]))
    return MathGraph.from_expression(text)


def render(graph: AbstractGraph) -> str:
    """Return how the statement of a graph is written."""
    if IS in (graph.edge_labels or ()):
        return _render_values(graph)
    root = tree.from_graph(graph, "mathematics")
    if root.label == DERIVATIVE and len(root.branches) == 1:
        return f"{DERIVATIVE} {_expression(root.branches[0][1])}"
    if root.label == EQUATION and sorted(str(place) for place, _ in root.branches) == ["0", "1"]:
        left, right = (part for _, part in sorted(root.branches, key=lambda branch: str(branch[0])))
        return f"{_expression(left)} {EQUATION} {_expression(right)}"
    return _expression(root)


def _expression(root: Tree) -> str:
    return expression.write(expression.normal(root))


def _with_values(text: str, bindings: str) -> Graph:
    """Return an expression's graph with the values of names as further nodes."""
    graph = tree.to_graph(expression.parse(text))
    labels = list(graph.node_labels or ())
    edges, edge_labels = graph.edge_list.tolist(), list(graph.edge_labels or ())
    for binding in bindings.split(","):
        name, value = _binding(binding)
        places = [node for node, label in enumerate(graph.node_labels or ()) if label == name]
        if not places:
            raise InvalidInputError(f"The expression has no '{name}', so a value for it means nothing.")
        edges += [(len(labels), place) for place in places]
        edge_labels += [IS] * len(places)
        labels.append(value)
    return Graph.from_edges(edges, len(labels), labels, True, edge_labels)


def _binding(text: str) -> tuple[str, Hashable]:
    name, sign, value = text.partition(EQUATION)
    bound = expression.parse(value) if sign else None
    if bound is None or bound.branches or not name.strip().isidentifier():
        raise InvalidInputError(
            f"Write what a name stands for as in 'x = 3', a number or a name; got '{text.strip()}'."
        )
    return name.strip(), bound.label


def _render_values(graph: AbstractGraph) -> str:
    labels = graph.node_labels or ()
    marks = np.array([label == IS for label in graph.edge_labels or ()])
    bound = graph.edge_list[marks].tolist()
    values = {value for value, _ in bound}
    rest = [node for node in range(graph.nodes) if node not in values]
    number = {node: i for i, node in enumerate(rest)}
    kept = graph.edge_list[~marks].tolist()
    if any(end in values for edge in kept for end in edge):
        raise InvalidInputError("What a name stands for is a number or a name, and no part of the expression.")
    edges = [(number[a], number[b]) for a, b in kept]
    kinds = [label for label in graph.edge_labels or () if label != IS]
    text = render(Graph.from_edges(edges, len(rest), [labels[node] for node in rest], True, kinds))
    said = sorted({f"{labels[name]} = {labels[value]}" for value, name in bound})
    return f"{text}{WHERE}{', '.join(said)}"


MATH = Domain("math", parse, render)
