"""A graph as bytes that can be kept, and back; nothing is pickled."""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from grapheme.errors import InvalidInputError
from grapheme.graph.abstract import AbstractGraph
from grapheme.graph.edit_costs import Label
from grapheme.graph.graph import Graph
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


def text_of(label: Label) -> str:
    """Return a label as JSON, the same in every process; 1, 1.0, True and "1" are told apart."""
    try:
        return _ENCODER.encode(label)
    except (TypeError, ValueError):
        raise InvalidInputError(
            f"A label that is kept is text, a number, None or a tuple of these; got {label!r}."
        ) from None


def _plain(value: Any) -> Any:
    """Return a number of numpy's as one of Python's."""
    if isinstance(value, np.generic):
        return value.item()
    raise TypeError


_ENCODER = json.JSONEncoder(default=_plain, allow_nan=False, separators=(",", ":"))


def _texts(labels: Labels | None) -> list[str] | None:
    return None if labels is None else [text_of(label) for label in labels]


def _labels(texts: list[str] | None) -> list[Label] | None:
    return None if texts is None else [_hashable(json.loads(text)) for text in texts]


def _hashable(value: Any) -> Label:
    """Return a label as it was: JSON knows tuples as lists only."""
    return tuple(map(_hashable, value)) if isinstance(value, list) else value
