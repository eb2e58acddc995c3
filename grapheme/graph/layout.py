"""Where to draw the nodes of a graph."""

from __future__ import annotations

import numpy as np

from grapheme.arrays import Floats, Ints
from grapheme.errors import InvalidInputError
from grapheme.graph.abstract import AbstractGraph
from grapheme.graph.dag import topological_levels

ROUNDS = 150
FARTHEST = 0.1
"""How far a node moves in the first round of all, in sides of the picture."""


def positions(g: AbstractGraph) -> Floats:
    """Return places (nodes, 2) between 0 and 1: by level if edges only lead forward, else where forces balance."""
    if g.directed:
        try:
            return _in_levels(topological_levels(g, "numpy"))
        except InvalidInputError:
            pass  # a cycle
    return _by_forces(g)


def _in_levels(levels: Ints) -> Floats:
    """Return levels from left to right, and the nodes of each one below another."""
    places = np.zeros((len(levels), 2))
    places[:, 0] = (levels + 0.5) / (levels.max(initial=0) + 1)
    for level in range(levels.max(initial=-1) + 1):
        nodes = np.flatnonzero(levels == level)
        places[nodes, 1] = (np.arange(len(nodes)) + 0.5) / len(nodes)
    return places


def _by_forces(g: AbstractGraph) -> Floats:
    """Return where springs along the edges and repulsion balance (Fruchterman and Reingold 1991), from a circle on."""
    angles = 2 * np.pi * np.arange(g.nodes) / max(g.nodes, 1)
    places = np.stack([np.cos(angles), np.sin(angles)], axis=1)
    joined = np.zeros((g.nodes, g.nodes))
    joined[g.edge_list[:, 0], g.edge_list[:, 1]] = 1
    joined = np.maximum(joined, joined.T)
    ideal = 1 / np.sqrt(max(g.nodes, 1))
    for step in FARTHEST * np.linspace(1, 0, ROUNDS):
        apart = places[:, None] - places[None]
        length = np.maximum(np.linalg.norm(apart, axis=2), 1e-6)
        pull = ideal**2 / length**2 - joined * length / ideal
        force = (apart * pull[:, :, None]).sum(axis=1)
        places = places + force * (step / np.maximum(np.linalg.norm(force, axis=1, keepdims=True), step))
    return _fitted(places)


def _fitted(places: Floats) -> Floats:
    """Return places moved and scaled into the picture, with a margin."""
    low, high = places.min(axis=0, initial=np.inf), places.max(axis=0, initial=-np.inf)
    if not len(places):
        return places
    spread = np.maximum(high - low, 1e-6)
    return 0.05 + 0.9 * np.where(high - low > 1e-6, (places - low) / spread, 0.5)
