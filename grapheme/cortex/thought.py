"""A batch on its way through the brains: who fired on what, what each sees, and what they see together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import final

import numpy as np

from grapheme.arrays import Array, Ints
from grapheme.backend import Backend
from grapheme.cortex.fusion import Fused
from grapheme.cortex.model import Cortex
from grapheme.cortex.pooling import placed, pooled, rows_of
from grapheme.cortex.preparation import Prepared
from grapheme.kernels.fusion_arrays import FusionArrays
from grapheme.kernels.graph_arrays import GraphArrays, stretches
from grapheme.kernels.parameters import EncoderLayout


@final
@dataclass(frozen=True, eq=False)
class BrainBatch:
    """The graphs that one brain sees of a batch."""

    brain: int
    rows: Ints
    """(graphs,): the row of the fusion that each graph is."""
    samples: Ints
    """(graphs,): the sample of each."""
    graphs: GraphArrays


@final
@dataclass(frozen=True, eq=False)
class Thought:
    """Everything that the forward pass leaves for the decoder and for the way back; arrays are the backend's."""

    rows: FusionArrays
    batches: tuple[BrainBatch, ...]
    """Of the brains that fired on anything, ascending."""
    encoded: list[tuple[Array, Array]]
    embeddings: Array
    """(rows, embed): each brain's view of a sample, the mean over its nodes."""
    fused: Fused

    def nodes_of(self, place: int, graphs: np.ndarray) -> tuple[Ints, Ints]:
        """Return the nodes of some graphs of a brain's batch in a row, and the sample of each node."""
        batch = self.batches[place]
        nodes, ends = stretches(batch.graphs.offsets, graphs)
        return nodes, np.repeat(batch.samples[graphs], np.diff(ends))

    def seen_by(self, place: int, nodes: Ints, samples: Ints, backend: Backend) -> Array:
        """Return the embeddings of a brain's nodes, each with the context of its sample added."""
        own = rows_of(self.encoded[place][0][-1, ...], nodes, backend)
        return own + rows_of(self.fused.contexts, samples, backend)


def think(cortex: Cortex, samples: Sequence[Prepared], backend: Backend) -> Thought:
    """Encode every sample by every brain that fires on it, all at once, and fuse what they see."""
    rows = fusion_rows(samples)
    batches = _batches(samples, rows)
    encoded = backend.cortex.encode_brains(*network_parts(cortex, batches, backend))
    embeddings = _views(cortex, batches, encoded, backend)
    return Thought(rows, batches, encoded, embeddings, cortex.fusion.fuse(rows, embeddings, backend))


def network_parts(
    cortex: Cortex, batches: Sequence[BrainBatch], backend: Backend
) -> tuple[list[EncoderLayout], list[GraphArrays], list[Array]]:
    """Return layouts, graphs and parameters of the brains' encoders."""
    networks = [cortex.networks[batch.brain] for batch in batches]
    vectors = [network.on(backend)["encoder"] for network in networks]
    return [network.encoder for network in networks], [batch.graphs for batch in batches], vectors


def fusion_rows(samples: Sequence[Prepared]) -> FusionArrays:
    """Return a row for each brain that fired on a sample."""
    fired = [brain for sample in samples for brain in sample.fired]
    confidence = [value for sample in samples for value in sample.confidence]
    offsets = np.cumsum([0, *(len(sample.fired) for sample in samples)])
    return FusionArrays(offsets, np.array(fired, np.int32), np.array(confidence, np.float64))


def _views(
    cortex: Cortex, batches: Sequence[BrainBatch], encoded: Sequence[tuple[Array, Array]], backend: Backend
) -> Array:
    """Return the mean over its nodes (rows, embed) of every row's graph."""
    if not batches:
        return backend.asarray(np.zeros((0, cortex.config.embed_dim), cortex.dtype))
    means = [
        pooled(batch.graphs, states[-1, ...], backend) for batch, (states, _) in zip(batches, encoded, strict=True)
    ]
    places = [batch.rows for batch in batches]
    return placed(means, places, sum(map(len, places)), backend)


def _batches(samples: Sequence[Prepared], rows: FusionArrays) -> tuple[BrainBatch, ...]:
    owners = np.repeat(np.arange(len(samples)), np.diff(rows.offsets)).astype(np.int32)
    graphs = [graph for sample in samples for graph in sample.graphs]
    found = []
    for brain in np.unique(rows.brains).tolist():
        own = np.flatnonzero(rows.brains == brain).astype(np.int32)
        found.append(BrainBatch(brain, own, owners[own], GraphArrays.join([graphs[row] for row in own])))
    return tuple(found)
