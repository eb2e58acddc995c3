"""Graphs as GraphML: nodes, edges, and the attribute ``label`` of either."""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable
from typing import Any
from xml.etree import ElementTree as Xml

from grapheme.errors import InvalidInputError
from grapheme.graph.abstract import AbstractGraph
from grapheme.graph.graph import Graph
from grapheme.kernels.csr import Labels

NAMESPACE = "http://graphml.graphdrawing.org/xmlns"
LABEL = "label"

READ: dict[str, Callable[[str], Hashable]] = {
    "boolean": lambda text: text.strip().lower() in ("true", "1"),
    "int": int,
    "long": int,
    "float": float,
    "double": float,
    "string": str,
}
UNWRITABLE = re.compile("[^\t\n\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that XML cannot hold, or would not give back."""


def write(graph: AbstractGraph) -> bytes:
    """Return a GraphML document with nodes n0, n1, ... in order."""
    root = Xml.Element("graphml", xmlns=NAMESPACE)
    kinds = {"node": _kind(graph.node_labels), "edge": _kind(graph.edge_labels)}
    for domain, kind in kinds.items():
        if kind is not None:
            Xml.SubElement(root, "key", {"id": domain, "for": domain, "attr.name": LABEL, "attr.type": kind})
    body = Xml.SubElement(root, "graph", edgedefault="directed" if graph.directed else "undirected")
    for node in range(graph.nodes):
        _label(Xml.SubElement(body, "node", id=f"n{node}"), "node", graph.node_labels, node)
    for row, (a, b) in enumerate(graph.edge_list.tolist()):
        _label(Xml.SubElement(body, "edge", source=f"n{a}", target=f"n{b}"), "edge", graph.edge_labels, row)
    document: bytes = Xml.tostring(root, "utf-8", xml_declaration=True)
    return document


def read(content: bytes) -> Graph:
    """Return the first graph of a GraphML document, its nodes in the document's order."""
    try:
        root = Xml.fromstring(content)
    except (Xml.ParseError, LookupError, ValueError) as error:
        raise InvalidInputError(f"it is no XML ({error}).") from None
    body = root.find("{*}graph")
    if body is None:
        raise InvalidInputError("it has no element <graph>.")
    number = {node.get("id"): i for i, node in enumerate(body.findall("{*}node"))}
    edges = []
    for edge in body.findall("{*}edge"):
        for end in (edge.get("source"), edge.get("target")):
            if end not in number:
                raise InvalidInputError(f"an edge names the node {end!r}, which is not there.")
        edges.append((number[edge.get("source")], number[edge.get("target")]))
    nodes, named = _labels(root, body, "node"), _labels(root, body, "edge")
    return Graph.from_edges(edges, len(number), nodes, body.get("edgedefault") == "directed", named)


def _kind(labels: Labels | None) -> str | None:
    """Return the type of the labels in GraphML, None if there are none."""
    if not labels:
        return None
    for kind, accepted in ((bool, "boolean"), (int, "long"), (float, "double"), (str, "string")):
        if all(type(label) is kind for label in labels):
            return accepted
    raise InvalidInputError(
        "The labels of a GraphML file are all text, all whole numbers or all floating; write JSON instead."
    )


def _label(element: Xml.Element, domain: str, labels: Labels | None, place: int) -> None:
    if labels is None:
        return
    text = str(labels[place]).lower() if isinstance(labels[place], bool) else str(labels[place])
    wrong = UNWRITABLE.search(text)
    if wrong is not None:
        raise InvalidInputError(f"GraphML cannot hold the character U+{ord(wrong[0]):04X}; write JSON instead.")
    Xml.SubElement(element, "data", key=domain).text = text


def _labels(root: Xml.Element, body: Xml.Element, domain: str) -> Labels | None:
    """Return the labels of all nodes or edges; None where there is none, or in place of those of all."""
    keys = [
        key for key in root.findall("{*}key") if key.get("attr.name") == LABEL and key.get("for") in (domain, "all")
    ]
    if not keys:
        return None
    convert = READ.get(keys[0].get("attr.type", "string"), str)
    labels = tuple(_value(element, keys[0].get("id"), convert) for element in body.findall(f"{{*}}{domain}"))
    return None if all(label is None for label in labels) else labels


def _value(element: Xml.Element, key: str | None, convert: Callable[[str], Hashable]) -> Any:
    for data in element.findall("{*}data"):
        if data.get("key") == key:
            try:
                return convert(data.text or "")
            except ValueError:
                raise InvalidInputError(f"the label {data.text!r} is no number.") from None
    return None
