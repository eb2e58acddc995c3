"""The ways to write graphs that ship."""

from __future__ import annotations

from grapheme.domains.domain import Domain
from grapheme.graph import CodeGraph, Graph, GraphemeGraph, json_form
from grapheme.graph.abstract import AbstractGraph


def _render_text(graph: AbstractGraph) -> str:
    return GraphemeGraph.from_graph(graph).to_text()


def _render_code(graph: AbstractGraph) -> str:
    return CodeGraph.from_graph(graph).to_source()


def _parse_graph(text: str) -> Graph:
    return json_form.read(text.encode())


def _render_graph(graph: AbstractGraph) -> str:
    return json_form.write(graph).decode("ascii")


TEXT = Domain("text", GraphemeGraph.from_text, _render_text)
CODE = Domain("code", CodeGraph.from_source, _render_code)
GRAPH = Domain("graph", _parse_graph, _render_graph)
"""Any graph, as the JSON that ``grapheme graph`` reads."""
