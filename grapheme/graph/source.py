"""Python source as a graph: one node for each node of its syntax tree and each name or constant in it."""

from __future__ import annotations

import ast
import re
from collections.abc import Hashable, Iterator
from dataclasses import dataclass
from typing import Any, final

from grapheme.errors import InvalidInputError
from grapheme.graph import tree
from grapheme.graph.abstract import AbstractGraph

LEFT_OUT = ("ctx", "type_comment", "type_ignores")
"""Fields that follow from the rest of the tree or say nothing about what the program does."""

EDGE = re.compile(r"(?P<field>\w+?)(?:\[(?P<place>\d+)\])?")


@final
@dataclass(frozen=True, eq=False, repr=False)
class CodeGraph(AbstractGraph):
    """A syntax tree whose edges lead from a part to the whole, labelled with the part's field, as in ``body[0]``.

    A node is labelled with its kind, as in ``BinOp``; names and constants are leaves labelled as Python writes them,
    as in ``'x'``.
    """

    @classmethod
    def from_source(cls, source: str) -> CodeGraph:
        """Return the graph of a Python program."""
        return cls(tree.to_graph(_tree(_parse(source))).csr)

    @classmethod
    def from_graph(cls, graph: AbstractGraph) -> CodeGraph:
        """Return a graph of syntax as a program; refuses one that Python could not have written."""
        code = cls(graph.csr)
        code.to_source()
        return code

    def to_source(self) -> str:
        """Return the program, as ``ast.unparse`` formats it."""
        root = tree.from_graph(self, "Python source")
        try:
            source = ast.unparse(ast.fix_missing_locations(_syntax(root)))
            ast.parse(source)
        except RecursionError:
            raise _too_deep() from None
        except (AttributeError, KeyError, SyntaxError, TypeError, ValueError) as error:
            raise InvalidInputError(f"The graph is no Python program: {error}.") from None
        return source


def _parse(source: str) -> ast.Module:
    if not isinstance(source, str):
        raise InvalidInputError(f"Give the source as a string; got {type(source).__name__}.")
    try:
        return ast.parse(source)
    except SyntaxError as error:
        place = f" in line {error.lineno}" if error.lineno else ""
        raise InvalidInputError(f"The source is no Python: {error.msg}{place}.") from None
    except ValueError as error:
        raise InvalidInputError(f"The source is no Python: {error}.") from None
    except (MemoryError, RecursionError):
        raise _too_deep() from None


def _too_deep() -> InvalidInputError:
    return InvalidInputError("The source is nested too deeply for Python's own parser.")


def _tree(root: ast.AST) -> tree.Tree:
    """Return a syntax tree as a tree of labels; not by recursion, for programs may be deep."""
    top = tree.Tree(type(root).__name__)
    stack = [(root, top)]
    while stack:
        syntax, grown = stack.pop()
        for edge, value in _parts(syntax):
            inner = isinstance(value, ast.AST)
            branch = tree.Tree(type(value).__name__ if inner else ast.unparse(ast.Constant(value)))
            grown.branches.append((edge, branch))
            if inner:
                stack.append((value, branch))
    return top


def _parts(syntax: ast.AST) -> Iterator[tuple[str, Any]]:
    """Yield the edge's label and the value of everything below a node; an absent part has no edge."""
    for name, value in ast.iter_fields(syntax):
        if name in LEFT_OUT:
            continue
        if isinstance(value, list):
            yield from ((f"{name}[{place}]", part) for place, part in enumerate(value))
        elif value is not None or (name == "value" and isinstance(syntax, (ast.Constant, ast.MatchSingleton))):
            yield name, value


def _syntax(root: tree.Tree) -> ast.AST:
    """Return the syntax tree of a tree of labels."""
    built: dict[int, Any] = {}
    for node in tree.leaves_first(root):
        kind = getattr(ast, str(node.label), None) if str(node.label).isidentifier() else None
        if isinstance(kind, type) and issubclass(kind, ast.AST):
            built[id(node)] = kind(**_fields(kind, [(edge, built.pop(id(branch))) for edge, branch in node.branches]))
        elif node.branches:
            raise ValueError(f"nothing in Python's syntax is called {node.label}")
        else:
            built[id(node)] = ast.literal_eval(str(node.label))
    return built[id(root)]  # type: ignore[no-any-return]


def _fields(kind: type[ast.AST], parts: list[tuple[Hashable, Any]]) -> dict[str, Any]:
    """Return the fields of a syntax node: lists in the order of their places, and what is absent as empty or None."""
    single: dict[str, Any] = {}
    listed: dict[str, dict[int, Any]] = {}
    for edge, value in parts:
        match = EDGE.fullmatch(str(edge))
        if match is None or match["field"] not in kind._fields:
            raise ValueError(f"{kind.__name__} has no part {edge}")
        if match["place"] is None:
            single[match["field"]] = value
        else:
            listed.setdefault(match["field"], {})[int(match["place"])] = value
    lists = {name: [items[place] for place in sorted(items)] for name, items in listed.items()}
    absent: dict[str, Any] = {name: [] if name in _lists(kind) else None for name in kind._fields}
    return {**absent, **single, **lists}


def _lists(kind: type[ast.AST]) -> list[str]:
    """Return the fields of a syntax node that hold several parts; Python says so in the node's description only."""
    return re.findall(r"\w+\* (\w+)", kind.__doc__ or "")
