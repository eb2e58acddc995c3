"""Terms of a few operators, written as Python writes them, read with Python's own parser."""

from __future__ import annotations

import ast
from collections.abc import Callable

from grapheme.domains.domain import Domain
from grapheme.errors import InvalidInputError
from grapheme.graph import Graph, tree
from grapheme.graph.abstract import AbstractGraph
from grapheme.graph.tree import Tree


def term_domain(name: str, what: str, read: Callable[[ast.AST], Tree | None], write: Callable[[Tree], str]) -> Domain:
    """Return a domain of graphs of terms; ``read`` returns None for syntax that is no such term."""

    def parse(text: str) -> Graph:
        try:
            root = read(ast.parse(text.strip(), mode="eval").body)
        except (SyntaxError, ValueError, RecursionError):
            root = None
        if root is None:
            raise InvalidInputError(f"'{text}' is no {what}.")
        return tree.to_graph(root)

    def render(graph: AbstractGraph) -> str:
        root = ordered(tree.from_graph(graph, what))
        try:
            written = write(root)
        except (KeyError, IndexError):
            raise InvalidInputError(f"The graph is no {what}.") from None
        parse(written)
        return written

    return Domain(name, parse, render)


def ordered(root: Tree) -> Tree:
    """Return the tree with all branches in the order of their edges' labels."""
    for node in tree.leaves_first(root):
        node.branches.sort(key=lambda branch: str(branch[0]))
    return root


def node(label: str, *branches: Tree) -> Tree:
    """Return a tree whose edges are labelled with the places of the branches."""
    return Tree(label, list(enumerate(branches)))
