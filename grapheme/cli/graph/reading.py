"""Graphs from what a user names or types."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

if TYPE_CHECKING:
    from grapheme.graph.abstract import AbstractGraph

F = TypeVar("F", bound=Callable[..., Any])

GRAPH_FILES = (".graphml", ".json")
KINDS = {".txt": "text", ".math": "math", ".py": "code"}
"""What a file holds that is no graph yet, by the ending of its name."""
ENDINGS = (*GRAPH_FILES, *KINDS)


def kind_options(function: F) -> F:
    """Add the options that say what an argument is if it is no file with a telling name."""
    for kind, what in (("code", "Python source"), ("math", "mathematical expressions"), ("text", "text")):
        function = click.option(
            f"--{kind}", "kind", flag_value=kind, help=f"What is no file with a telling name is {what}."
        )(function)
    return function


def read_graph(argument: str, kind: str | None) -> AbstractGraph:
    """Return the graph of a file, or of text, mathematics or code as it is given."""
    from grapheme.errors import InvalidInputError
    from grapheme.files import readable
    from grapheme.graph import Graph

    path = Path(argument)
    if kind is not None and not _names_a_file(path):
        return _parse(argument, kind)
    if kind is None and path.suffix.lower() in GRAPH_FILES:
        return Graph.read(path)
    known = kind or KINDS.get(path.suffix.lower())
    if known is None:
        raise InvalidInputError(
            f"'{argument}' is no file whose name ends in {', '.join(ENDINGS)}; say --text, --math or --code for others."
        )
    with readable(path):
        content = path.read_text("utf-8")
    try:
        return _parse(content, known)
    except InvalidInputError as error:
        raise InvalidInputError(f"Cannot read {path}: {error}") from None


def _names_a_file(path: Path) -> bool:
    """Return whether a file is meant: there is one, or the name ends like one, so that a slip is not taken for code."""
    try:
        return path.suffix.lower() in ENDINGS or path.is_file()
    except (OSError, ValueError):  # too long for a name, or with characters that none has
        return False


def _parse(content: str, kind: str) -> AbstractGraph:
    from grapheme.graph import CodeGraph, GraphemeGraph, MathGraph

    if kind == "text":
        return GraphemeGraph.from_text(content)
    return MathGraph.from_expression(content.strip()) if kind == "math" else CodeGraph.from_source(content)
