"""The network that turns one graph into another by edits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, Self, final

import numpy as np

from grapheme.arrays import Array, Floats
from grapheme.backend import Backend
from grapheme.backend.selection import resolve
from grapheme.errors import InvalidInputError
from grapheme.graph.abstract import AbstractGraph
from grapheme.graph.graph import Graph
from grapheme.kernels.csr import offsets_of
from grapheme.kernels.graph_arrays import EditArrays, GraphArrays
from grapheme.kernels.parameters import EncoderLayout, HeadsLayout
from grapheme.models.model import AbstractModel, Tensors, from_json_tensor, json_tensor
from grapheme.models.parameters import Parameters
from grapheme.rng import generator
from grapheme.transform.apply import NOTHING, Edits, apply_edits
from grapheme.transform.coding import DEGREES, CodedGraph
from grapheme.transform.space import EditSpace
from grapheme.transform.vocabulary import Vocabulary

PARTS = ("encoder", "heads")
AT_ONCE = 64
"""Graphs that are transformed together."""


@final
@dataclass(frozen=True)
class NetShape:
    """How wide and deep a network is."""

    width: int = 32
    layers: int = 4
    mean: bool = False
    """Whether messages are averaged instead of summed."""
    norm: bool = True
    """Whether each layer is normalised."""
    shared: bool = False
    """Whether all layers have the same parameters, as steps of one rule."""

    def __post_init__(self) -> None:
        if self.width < 1 or self.layers < 0:
            raise InvalidInputError(f"Give a width from 1 and layers from 0 up; got {self.width} and {self.layers}.")


@final
class GraphEditNet(AbstractModel):
    """Message passing over a graph, and heads that say what becomes of its nodes and edges.

    ``parameters`` are two vectors, "encoder" and "heads", described by ``encoder`` and ``heads``.
    """

    kind = "edit-network"

    def __init__(
        self, vocabulary: Vocabulary, space: EditSpace, shape: NetShape, parameters: dict[str, Floats]
    ) -> None:
        self.vocabulary, self.space, self.shape = vocabulary, space, shape
        self.encoder, self.heads = layouts(vocabulary, space, shape)
        for name, layout in zip(PARTS, (self.encoder, self.heads), strict=True):
            if parameters[name].shape != (layout.size,):
                raise ValueError(f"the part '{name}' has {layout.size} parameters, not {parameters[name].size}")
        self.parameters = Parameters({name: parameters[name] for name in PARTS})

    @classmethod
    def build(
        cls,
        vocabulary: Vocabulary,
        space: EditSpace,
        shape: NetShape | None = None,
        seed: int = 0,
        dtype: str = "float32",
        rng: np.random.Generator | None = None,
    ) -> Self:
        """Return a network with parameters drawn after Glorot and Bengio (2010)."""
        shape, rng = shape or NetShape(), rng or generator(seed, "wiring")
        drawn = [layout.xavier(rng, dtype) for layout in layouts(vocabulary, space, shape)]
        return cls(vocabulary, space, shape, dict(zip(PARTS, drawn, strict=True)))

    def __call__(self, graph: AbstractGraph, backend: Backend | str | None = None) -> Graph:
        """Return what a graph becomes."""
        return self.predict([graph], backend)[0]

    def predict(self, graphs: Sequence[AbstractGraph], backend: Backend | str | None = None) -> list[Graph]:
        """Return what each graph becomes."""
        coded = [CodedGraph.of(graph, self.vocabulary) for graph in graphs]
        return [apply_edits(edits, self.vocabulary) for edits in self.edits(coded, resolve(backend))]

    def edits(self, sources: Sequence[CodedGraph], backend: Backend) -> list[Edits]:
        """Return the likeliest edits of each source."""
        return [
            edits
            for first in range(0, len(sources), AT_ONCE)
            for edits in self._edits(sources[first : first + AT_ONCE], backend)
        ]

    def embed(self, graphs: GraphArrays, backend: Backend) -> tuple[Array, Array]:
        """Return states and sums of all layers; the last state is the nodes' embedding."""
        states, sums = backend.cortex.encode(self.encoder, graphs, self.on(backend)["encoder"])
        return states, sums

    def scores(self, edits: EditArrays, embeddings: Array, backend: Backend) -> tuple[Array, Array, Array]:
        """Return the logits of nodes, slots and pairs."""
        nodes, slots, pairs = backend.cortex.edit_scores(self.heads, edits, self.on(backend)["heads"], embeddings)
        return nodes, slots, pairs

    @property
    def dtype(self) -> str:
        """The dtype of the parameters."""
        return str(self.to_host()["encoder"].dtype)

    def to_host(self) -> dict[str, Floats]:
        """Return the parameters as numpy arrays."""
        return self.parameters.tensors()

    def on(self, backend: Backend) -> dict[str, Array]:
        """Return the parameters as arrays of ``backend``."""
        return self.parameters.on(backend)

    def place(self, backend: Backend) -> None:
        """Move the parameters to where ``backend`` works."""
        self.parameters.place(backend)

    def set_parameters(self, parameters: dict[str, Array], backend: Backend) -> None:
        """Replace the parameters by arrays of ``backend``."""
        self.parameters.replace(parameters, backend)

    def tensors(self) -> Tensors:
        """Return the parameters, and what describes them as JSON in bytes."""
        return {
            "vocabulary": self.vocabulary.to_bytes(),
            "facts": json_tensor({"space": asdict(self.space), "shape": asdict(self.shape)}),
            **self.parameters.tensors(),
        }

    @classmethod
    def from_tensors(cls, tensors: Tensors) -> Self:
        """Return the network that ``tensors`` describe."""
        facts: dict[str, Any] = from_json_tensor(tensors["facts"])
        parameters = {name: tensors[name] for name in PARTS}
        vocabulary = Vocabulary.from_bytes(tensors["vocabulary"])
        return cls(vocabulary, EditSpace(**facts["space"]), NetShape(**facts["shape"]), parameters)

    def _edits(self, sources: Sequence[CodedGraph], backend: Backend) -> list[Edits]:
        graphs = GraphArrays.join([source.arrays() for source in sources])
        return self.decode(sources, self.embed(graphs, backend)[0][-1, ...], backend)

    def decode(self, sources: Sequence[CodedGraph], embeddings: Array, backend: Backend) -> list[Edits]:
        """Return the likeliest edits of sources, given embeddings of all their nodes in a row.

        Nodes are decided first, for only nodes that are there can be joined by edges.
        """
        offsets = offsets_of([source.nodes for source in sources])
        bare = EditArrays.join([_without_pairs(source, self.space) for source in sources])
        nodes, slots, _ = (backend.to_numpy(a) for a in self.scores(bare, embeddings, backend))
        becomes, inserted = nodes.argmax(axis=-1), slots.argmax(axis=-1)
        parts = [
            _chosen(source, becomes[first:last], inserted[first:last], self.space)
            for source, first, last in zip(sources, offsets, offsets[1:], strict=False)
        ]
        arrays = EditArrays.join(parts)
        pairs = backend.to_numpy(self.scores(arrays, embeddings, backend)[2]).argmax(axis=-1)
        found = []
        for i, part in enumerate(parts):
            mine = slice(offsets[i], offsets[i + 1])
            new = inserted[mine][part.anchors, part.slots].astype(np.int32)
            edges = pairs[arrays.pair_offsets[i] : arrays.pair_offsets[i + 1]].astype(np.int32)
            found.append(Edits(becomes[mine].astype(np.int32), part.anchors, part.slots, new, part.pairs, edges))
        return found


def layouts(vocabulary: Vocabulary, space: EditSpace, shape: NetShape) -> tuple[EncoderLayout, HeadsLayout]:
    """Return the layouts of the two vectors of parameters."""
    kinds, labels = len(vocabulary.edge_labels), len(vocabulary.labels)
    relations = kinds * (2 if vocabulary.directed else 1)
    encoder = EncoderLayout(labels, DEGREES, relations, shape.width, shape.layers, shape.mean, shape.norm, shape.shared)
    heads = HeadsLayout(labels, kinds, space.slots, shape.width, shape.width, space.rows, vocabulary.directed)
    return encoder, heads


def _without_pairs(source: CodedGraph, space: EditSpace) -> EditArrays:
    none = np.zeros(0, np.int32)
    return space.edits(source, np.zeros(source.nodes, np.bool_), none, none)


def _chosen(source: CodedGraph, becomes: np.ndarray, inserted: np.ndarray, space: EditSpace) -> EditArrays:
    """Return what can be joined once nodes are chosen: those that stay, and those inserted after such."""
    stays = becomes != NOTHING
    anchors, slots = np.nonzero((inserted != NOTHING) & stays[:, None])
    return space.edits(source, stays, anchors.astype(np.int32), slots.astype(np.int32))
