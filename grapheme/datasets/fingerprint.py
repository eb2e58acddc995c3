"""Numbers by which graphs that are the same, but for the numbers of their nodes, can be told to be so: all at once.

Colour refinement as in ``grapheme.graph.refinement``, but with sums of scrambled 64-bit numbers instead of sorted
lists: eight to thirty times as fast for the thousands of small graphs of a task, and not exact. Graphs with different
fingerprints are different; graphs that are different may share one, which costs a task a graph and nothing more. How a
user's pairs are divided into sets depends on these numbers, so they must stay what they are.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from functools import cache
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

from grapheme.graph.abstract import AbstractGraph
from grapheme.graph.labels import edge_labels, node_labels, text_of
from grapheme.kernels.csr import offsets_of

ROUNDS = 4
OUT, IN = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xC2B2AE3D27D4EB4F)
"""Odd numbers that keep apart what comes over edges that leave and over edges that enter."""

Colours = NDArray[np.uint64]


def fingerprints(graphs: Sequence[AbstractGraph]) -> Colours:
    """Return a number (graphs,) for each graph, which depends on its edges and labels only."""
    sizes = np.array([graph.nodes for graph in graphs], np.int64)
    offsets = offsets_of(sizes)
    colours = _colours_of([node_labels(graph) for graph in graphs])
    edges = np.concatenate([graph.edge_list + offset for graph, offset in zip(graphs, offsets, strict=False)])
    marks = _colours_of([edge_labels(graph) for graph in graphs])
    one_way = np.repeat([graph.directed for graph in graphs], [graph.edges for graph in graphs])
    for _ in range(ROUNDS):
        colours = _round(colours, edges, marks, one_way)
    whole = _mixed(sizes.astype(np.uint64))
    np.add.at(whole, np.repeat(np.arange(len(graphs)), sizes), _mixed(colours))
    return whole


def _round(colours: Colours, edges: NDArray[np.int64], marks: Colours, one_way: NDArray[np.bool_]) -> Colours:
    """Return each colour mixed with those at the other ends of its edges, in whatever order."""
    first, second = edges[:, 0], edges[:, 1]
    following = _mixed(colours)
    np.add.at(following, first, _mixed(colours[second] * OUT + marks))
    np.add.at(following, second, _mixed(colours[first] * np.where(one_way, IN, OUT) + marks))
    return following


def _colours_of(labels: Sequence[Sequence[Hashable]]) -> Colours:
    return np.array([_colour(type(label), label) for part in labels for label in part], np.uint64)


@cache
def _colour(kind: type, label: Hashable) -> int:
    """Return the colour of a label; ``kind`` keeps 1 and True apart, which are equal to a cache."""
    return int.from_bytes(blake2b(text_of(label).encode("ascii"), digest_size=8).digest())


def _mixed(values: Colours) -> Colours:
    """Return each number scrambled, so that sums of them tell multisets apart (Steele et al. 2014, splitmix64)."""
    mixed = values + OUT
    mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return mixed ^ (mixed >> np.uint64(31))
