"""A graph and what edits make of it, side by side: what goes, what is new, and what gets another label."""

from __future__ import annotations

import io
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from grapheme.arrays import Floats
from grapheme.errors import InvalidInputError
from grapheme.files import write_whole
from grapheme.graph.abstract import AbstractGraph
from grapheme.graph.layout import positions
from grapheme.graph.pictures import EDGE, INK, MOST_NODES, PAPER, captions
from grapheme.transform.apply import Edits, applied, changes
from grapheme.transform.vocabulary import Vocabulary

GONE, NEW, OTHER, PLAIN = "#e76f51", "#2a9d8f", "#e9c46a", "white"
"""Deleted, inserted, otherwise labelled, as before."""


def save_edits(path: Path, source: AbstractGraph, result: AbstractGraph, edits: Edits, vocabulary: Vocabulary) -> None:
    """Write a PNG with the source on the left and the result on the right, nodes that stay at the same place."""
    from matplotlib.figure import Figure

    if max(source.nodes, result.nodes) > MOST_NODES:
        raise InvalidInputError(f"A picture shows up to {MOST_NODES} nodes; the graphs have more.")
    changed = changes(source, edits, vocabulary)
    number = applied(edits, vocabulary)[1]
    left = positions(source)
    right = _places(left, number, edits, result.nodes)
    figure = Figure(figsize=(16, 8), facecolor=PAPER, layout="tight")
    panels = figure.subplots(1, 2)
    kept = {(int(number[a]), int(number[b])) for a, b in source.edge_list.tolist()}
    relabelled = {int(number[i]) for i in changed.relabelled}
    before = [
        GONE if i in changed.deleted else OTHER if i in changed.relabelled else PLAIN for i in range(source.nodes)
    ]
    after = [NEW if i in changed.inserted else OTHER if i in relabelled else PLAIN for i in range(result.nodes)]
    gone = [EDGE if _joins(result, int(number[a]), int(number[b])) else GONE for a, b in source.edge_list.tolist()]
    new = [EDGE if _known(kept, a, b, result.directed) else NEW for a, b in result.edge_list.tolist()]
    _draw(panels[0], source, left, before, gone)
    _draw(panels[1], result, right, after, new)
    figure.text(0.5, 0.02, "red: goes    green: new    yellow: another label", ha="center", color=INK)
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png", dpi=90)
    write_whole(path, buffer.getvalue())


def _places(left: Floats, number: np.ndarray, edits: Edits, nodes: int) -> Floats:
    """Return where the nodes of the result are: those that stay where they were, new ones beside their anchor."""
    places = np.zeros((nodes, 2))
    count = len(edits.nodes)
    for node, image in enumerate(number.tolist()):
        if image < 0:
            continue
        if node < count:
            places[image] = left[node]
            continue
        slot = int(edits.slots[node - count])
        angle = 0.7 + 1.1 * slot
        places[image] = left[edits.anchors[node - count]] + 0.09 * np.array([np.cos(angle), np.sin(angle)])
    return np.clip(places, 0.03, 0.97)


def _joins(graph: AbstractGraph, a: int, b: int) -> bool:
    return a >= 0 and b >= 0 and b in graph.indices[graph.indptr[a] : graph.indptr[a + 1]]


def _known(kept: set[tuple[int, int]], a: int, b: int, directed: bool) -> bool:
    return (a, b) in kept or (not directed and (b, a) in kept)


def _draw(axes: Any, graph: AbstractGraph, places: Floats, colours: Sequence[str], edges: Sequence[str]) -> None:
    axes.set_axis_off()
    axes.set(xlim=(0, 1), ylim=(1, 0))
    boxes = [
        axes.text(
            x, y, caption, color=INK, ha="center", va="center", size=9, parse_math=False,
            bbox={"boxstyle": "round", "facecolor": colour, "edgecolor": INK},
        ).get_bbox_patch()
        for caption, (x, y), colour in zip(captions(graph), places.tolist(), colours, strict=True)
    ]  # fmt: skip
    for (a, b), colour in zip(graph.edge_list.tolist(), edges, strict=True):
        ends = {"patchA": boxes[a], "patchB": boxes[b], "shrinkA": 0, "shrinkB": 0}
        style = {"arrowstyle": "->" if graph.directed else "-", "color": colour, "linewidth": 1.5}
        axes.annotate("", places[b], places[a], arrowprops={**style, **ends})
