"""Graphs as JSON: our own short form, and the node-link form of networkx and D3, which is read too."""

from __future__ import annotations

import json
from typing import Any

from grapheme.errors import InvalidInputError
from grapheme.graph.abstract import AbstractGraph
from grapheme.graph.graph import Graph
from grapheme.graph.labels import label_of, labels_of, plain
from grapheme.kernels.csr import Labels


def write(graph: AbstractGraph) -> bytes:
    """Return a record: ``directed``, how many ``nodes``, pairs as ``edges``, ``node_labels`` and ``edge_labels``."""
    record = {
        "directed": graph.directed,
        "nodes": graph.nodes,
        "edges": graph.edge_list.tolist(),
        "node_labels": graph.node_labels,
        "edge_labels": graph.edge_labels,
    }
    try:
        return json.dumps(record, default=plain, allow_nan=False).encode("ascii")
    except (TypeError, ValueError):
        raise InvalidInputError(
            "A label in a JSON file is text, a finite number, a truth value, None or a tuple of these."
        ) from None


def read(content: bytes) -> Graph:
    """Return the graph of a record in either form."""
    try:
        record = json.loads(content)
    except (UnicodeDecodeError, ValueError, RecursionError) as error:
        raise InvalidInputError(f"it is no JSON ({error}).") from None
    if not isinstance(record, dict) or "nodes" not in record:
        raise InvalidInputError('it has no "nodes".')
    if isinstance(record["nodes"], list):
        return _from_node_link(record)
    edges = record.get("edges", [])
    if not isinstance(edges, list):
        raise InvalidInputError('its "edges" are no list.')
    labels = _labels(record, "node_labels"), _labels(record, "edge_labels")
    return Graph.from_edges(edges, record["nodes"], labels[0], bool(record.get("directed", False)), labels[1])


def _from_node_link(record: dict[str, Any]) -> Graph:
    links = record.get("links", record.get("edges", []))
    try:
        number = {label_of(node["id"]): i for i, node in enumerate(record["nodes"])}
        edges = [(number[label_of(link["source"])], number[label_of(link["target"])]) for link in links]
        nodes = labels_of(node.get("label") for node in record["nodes"])
        named = labels_of(link.get("label") for link in links)
    except KeyError as error:
        raise InvalidInputError(
            f"an edge or a node lacks {error}, or an edge names a node that is not there."
        ) from None
    except (AttributeError, TypeError):
        raise InvalidInputError("its nodes and edges are no records with id, source and target.") from None
    return Graph.from_edges(
        edges, len(number), _unless_none(nodes), bool(record.get("directed", False)), _unless_none(named)
    )


def _labels(record: dict[str, Any], name: str) -> Labels | None:
    labels = record.get(name)
    if labels is not None and not isinstance(labels, list):
        raise InvalidInputError(f'its "{name}" are no list.')
    return None if labels is None else labels_of(labels)


def _unless_none(labels: Labels) -> Labels | None:
    return None if all(label is None for label in labels) else labels
