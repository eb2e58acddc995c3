"""Ordered trees as graphs: the form in which expressions and programs become nodes and edges."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field

import numpy as np

from grapheme.errors import InvalidInputError
from grapheme.graph.abstract import AbstractGraph
from grapheme.graph.graph import Graph


@dataclass
class Tree:
    """A label and the branches below it, each with the label of the edge that leads up from it."""

    label: Hashable
    branches: list[tuple[Hashable, Tree]] = field(default_factory=list)


def to_graph(root: Tree) -> Graph:
    """Return a directed graph whose edges lead from the leaves to the root, as values do; the root is the last node."""
    order = leaves_first(root)
    number = {id(tree): i for i, tree in enumerate(order)}
    edges = [(number[id(branch)], number[id(tree)]) for tree in order for _, branch in tree.branches]
    labels = [label for tree in order for label, _ in tree.branches]
    return Graph.from_edges(edges, len(order), [tree.label for tree in order], True, labels)


def from_graph(graph: AbstractGraph, what: str) -> Tree:
    """Return the tree of a graph such as ``to_graph`` makes, however numbered; branches in the order of the nodes."""
    leaving = np.diff(graph.indptr)
    roots = np.flatnonzero(leaving == 0)
    if not graph.directed or graph.node_labels is None or len(roots) != 1 or leaving.max(initial=0) > 1:
        raise InvalidInputError(
            f"A graph of {what} is a labelled tree whose edges lead to one root; this graph is none."
        )
    trees = [Tree(label) for label in graph.node_labels]
    for (a, b), label in zip(graph.edge_list.tolist(), graph.edge_labels or (0,) * graph.edges, strict=True):
        trees[b].branches.append((label, trees[a]))
    root = trees[int(roots[0])]
    if len(leaves_first(root)) != len(trees):
        raise InvalidInputError(f"A graph of {what} is a tree; this graph has a cycle.")
    return root


def leaves_first(root: Tree) -> list[Tree]:
    """Return ``root`` and all trees below it, every branch before the tree it belongs to, first branches first."""
    order, stack = [], [root]
    while stack:
        tree = stack.pop()
        order.append(tree)
        stack.extend(branch for _, branch in tree.branches)
    return order[::-1]


def operands(tree: Tree) -> list[Tree]:
    """Return the branches without the labels of their edges."""
    return [branch for _, branch in tree.branches]
