"""Labels of nodes and edges: one for each whether a graph has labels or not, and as JSON and back."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

import numpy as np

from grapheme.errors import InvalidInputError
from grapheme.graph.abstract import AbstractGraph
from grapheme.graph.edit_costs import Label
from grapheme.kernels.csr import Labels


def node_labels(graph: AbstractGraph) -> Labels:
    """Return a label for each node, None where the graph has none."""
    return (None,) * graph.nodes if graph.node_labels is None else graph.node_labels


def edge_labels(graph: AbstractGraph) -> Labels:
    """Return a label for each row of ``edge_list``, None where the graph has none."""
    return (None,) * graph.edges if graph.edge_labels is None else graph.edge_labels


def text_of(label: Label) -> str:
    """Return a label as JSON, the same in every process; 1, 1.0, True and "1" are told apart."""
    try:
        return _ENCODER.encode(label)
    except (TypeError, ValueError):
        raise InvalidInputError(
            f"A label that is kept is text, a number, None or a tuple of these; got {label!r}."
        ) from None


def label_of(value: Any) -> Label:
    """Return the label that a value read from JSON was: JSON knows tuples as lists only."""
    if isinstance(value, dict):
        raise InvalidInputError("a label in it is a record instead of text, a number or a list.")
    return labels_of(value) if isinstance(value, list) else value


def labels_of(values: Iterable[Any]) -> Labels:
    """Return the labels that values read from JSON were."""
    return tuple(map(label_of, values))


def plain(value: Any) -> Any:
    """Return a number of numpy's as one of Python's; what else JSON does not know is an error."""
    if isinstance(value, np.generic):
        return value.item()
    raise TypeError


_ENCODER = json.JSONEncoder(default=plain, allow_nan=False, separators=(",", ":"))
