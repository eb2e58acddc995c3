"""Parameters as one flat vector, and which part of it is what."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from grapheme.arrays import Floats


@dataclass(frozen=True)
class Block:
    """A stretch of the vector, read as an array of a shape."""

    offset: int
    shape: tuple[int, ...]

    @property
    def size(self) -> int:
        """How many numbers it has."""
        return math.prod(self.shape)

    def of(self, vector: Floats) -> Floats:
        """Return the block of a vector (..., parameters) as a view (..., *shape)."""
        part = vector[..., self.offset : self.offset + self.size]
        return part.reshape(*vector.shape[:-1], *self.shape)


@dataclass(frozen=True)
class ParameterLayout(ABC):
    """Names, shapes and places of the parameters of one network."""

    @abstractmethod
    def shapes(self) -> dict[str, tuple[int, ...]]:
        """Return the shape of each block, in the order of the vector."""

    @cached_property
    def blocks(self) -> dict[str, Block]:
        """Where each block is."""
        blocks, offset = {}, 0
        for name, shape in self.shapes().items():
            blocks[name] = Block(offset, shape)
            offset += blocks[name].size
        return blocks

    @cached_property
    def size(self) -> int:
        """The length of the vector."""
        return sum(block.size for block in self.blocks.values())

    def views(self, vector: Floats) -> dict[str, Floats]:
        """Return every block of a vector under its name, as a view."""
        return {name: block.of(vector) for name, block in self.blocks.items()}

    def xavier(self, rng: np.random.Generator, dtype: str) -> Floats:
        """Return matrices drawn as Glorot and Bengio (2010) do, biases of 0 and gains of 1."""
        vector = np.zeros(self.size, dtype)
        for name, view in self.views(vector).items():
            if name in ONES:
                view[...] = 1
            elif name not in ZEROS and view.size:
                limit = math.sqrt(6 / (view.shape[-1] + view.shape[-2]))
                view[...] = rng.uniform(-limit, limit, view.shape)
        return vector


ZEROS = ("bias", "shift", "node_bias", "keep", "slot_bias", "insert_bias", "pair_bias", "edge_bias", "direct")
ONES = ("gain",)
"""How blocks of these names begin; all others are matrices."""


@dataclass(frozen=True)
class EncoderLayout(ParameterLayout):
    """A message-passing network: what it tells apart in a graph, and how wide and deep it is."""

    labels: int
    """How many labels nodes have."""
    degrees: int
    """In- and out-degrees up to this one less are told apart."""
    relations: int
    """Kinds of arcs: an edge label, and in a directed graph which way the message goes along it."""
    width: int
    layers: int
    mean: bool = False
    """Whether the messages of a relation are averaged instead of summed."""
    norm: bool = False
    """Whether each layer's sums are normalised before the activation (Ba, Kiros and Hinton 2016)."""
    shared: bool = False
    """Whether all layers have the same parameters, as steps of one rule."""

    def shapes(self) -> dict[str, tuple[int, ...]]:
        """Return the tables of the nodes, and for each layer a matrix for the node itself and for each relation."""
        layers = min(1, self.layers) if self.shared else self.layers
        norm = layers if self.norm else 0
        return {
            "label": (self.labels, self.width),
            "into": (self.degrees, self.width),
            "out_of": (self.degrees, self.width),
            "weights": (layers, 1 + self.relations, self.width, self.width),
            "bias": (layers, self.width),
            "gain": (norm, self.width),
            "shift": (norm, self.width),
        }


@dataclass(frozen=True)
class HeadsLayout(ParameterLayout):
    """The heads that turn embeddings of nodes into scores of edits."""

    labels: int
    edge_labels: int
    slots: int
    """How many nodes may be inserted after one."""
    width: int
    """Of the embeddings."""
    hidden: int
    """Width of the layer that looks at a pair of nodes."""
    rows: int
    """How many features a pair of nodes may have."""
    directed: bool

    def shapes(self) -> dict[str, tuple[int, ...]]:
        """Return nodes' heads, slots' heads, inserted nodes' embeddings and pairs' heads."""
        classes, kinds = 1 + self.labels, 1 + self.edge_labels
        return {
            "node": (self.width, classes),
            "node_bias": (classes,),
            "keep": (self.width + 1,),
            "slot": (self.slots, self.width, classes),
            "slot_bias": (self.slots, classes),
            "insert": (self.slots, self.width, self.width),
            "insert_bias": (self.slots, self.width),
            "first": (self.width, self.hidden),
            "second": (self.width if self.directed else 0, self.hidden),
            "pair": (self.rows, self.hidden),
            "pair_bias": (self.hidden,),
            "edge": (self.hidden, kinds),
            "edge_bias": (kinds,),
            "direct": (self.rows, kinds),
        }
