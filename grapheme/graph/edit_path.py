"""The edits that a mapping of nodes amounts to."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

from grapheme.arrays import Ints
from grapheme.graph.abstract import AbstractGraph
from grapheme.graph.edit_costs import EditCosts, Label
from grapheme.graph.labels import edge_labels, node_labels
from grapheme.kernels.edits import DELETED

End: TypeAlias = int | tuple[int, int]
"""A node by its number, an edge by the numbers of its ends."""


@dataclass(frozen=True)
class Edit:
    """One operation: ``source`` of the first graph becomes ``target`` of the second; None is nothing there."""

    kind: Literal["node", "edge"]
    source: End | None
    target: End | None
    cost: float


def edit_path(g1: AbstractGraph, g2: AbstractGraph, mapping: Ints, costs: EditCosts) -> list[Edit]:
    """Return what turns ``g1`` into ``g2`` if its nodes go where ``mapping`` says; what stays is left out."""
    return [*_node_edits(g1, g2, mapping, costs), *_edge_edits(g1, g2, mapping, costs)]


def _node_edits(g1: AbstractGraph, g2: AbstractGraph, mapping: Ints, costs: EditCosts) -> Iterator[Edit]:
    labels, others = _node_labels(g1), _node_labels(g2)
    known = list(dict.fromkeys([*labels.values(), *others.values()]))
    table, code = costs.node_table(known), {label: row for row, label in enumerate(known, 1)}
    for i, j in enumerate(mapping.tolist()):
        if j == DELETED:
            yield Edit("node", i, None, float(table[code[labels[i]], 0]))
        elif labels[i] != others[j] or table[code[labels[i]], code[others[j]]]:
            yield Edit("node", i, j, float(table[code[labels[i]], code[others[j]]]))
    for j in np.setdiff1d(np.arange(g2.nodes), mapping).tolist():
        yield Edit("node", None, j, float(table[0, code[others[j]]]))


def _edge_edits(g1: AbstractGraph, g2: AbstractGraph, mapping: Ints, costs: EditCosts) -> Iterator[Edit]:
    labels, others = _edge_labels(g1), _edge_labels(g2)
    known = list(dict.fromkeys([*labels.values(), *others.values()]))
    table, code = costs.edge_table(known), {label: row for row, label in enumerate(known, 1)}
    images = set()
    for edge, label in labels.items():
        image = _image(edge, mapping, g2.directed)
        row = code[label]
        if image not in others:
            yield Edit("edge", edge, None, float(table[row, 0]))
            continue
        images.add(image)
        column = code[others[image]]
        if label != others[image] and table[row, column] == table[row, 0] + table[0, column]:
            yield Edit("edge", edge, None, float(table[row, 0]))
            yield Edit("edge", None, image, float(table[0, column]))
        elif label != others[image] or table[row, column]:
            yield Edit("edge", edge, image, float(table[row, column]))
    for edge, label in others.items():
        if edge not in images:
            yield Edit("edge", None, edge, float(table[0, code[label]]))


def _image(edge: tuple[int, int], mapping: Ints, directed: bool) -> tuple[int, int]:
    """Return where an edge goes; an end that is deleted gives an edge that no graph has."""
    source, target = int(mapping[edge[0]]), int(mapping[edge[1]])
    return (source, target) if directed or source <= target else (target, source)


def _node_labels(g: AbstractGraph) -> dict[int, Label]:
    return dict(enumerate(node_labels(g)))


def _edge_labels(g: AbstractGraph) -> dict[tuple[int, int], Label]:
    return {(a, b): label for (a, b), label in zip(g.edge_list.tolist(), edge_labels(g), strict=True)}
