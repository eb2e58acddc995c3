"""A graph as bytes that can be kept, and back; nothing is pickled."""

from __future__ import annotations

import json

import numpy as np

from grapheme.graph.abstract import AbstractGraph
from grapheme.graph.graph import Graph
from grapheme.graph.labels import labels_of, text_of
from grapheme.kernels.csr import Labels


def to_bytes(g: AbstractGraph) -> bytes:
    """Return nodes, edges and labels as JSON in ASCII."""
    record = {
        "nodes": g.nodes,
        "directed": g.directed,
        "edges": g.edge_list.tolist(),
        "node_labels": _texts(g.node_labels),
        "edge_labels": _texts(g.edge_labels),
    }
    return json.dumps(record, separators=(",", ":")).encode("ascii")


def from_bytes(record: bytes) -> Graph:
    """Return the graph that ``to_bytes`` wrote."""
    found = json.loads(record)
    return Graph.from_edges(
        np.array(found["edges"], np.int64).reshape(-1, 2),
        found["nodes"],
        _labels(found["node_labels"]),
        found["directed"],
        _labels(found["edge_labels"]),
    )


def _texts(labels: Labels | None) -> list[str] | None:
    return None if labels is None else [text_of(label) for label in labels]


def _labels(texts: list[str] | None) -> Labels | None:
    return None if texts is None else labels_of(map(json.loads, texts))
