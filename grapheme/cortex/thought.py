"""A batch on its way through the brains: who fired on what, what each sees, and what they see together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import final

import numpy as np

from grapheme.arrays import Floats, Ints
from grapheme.backend import Backend
from grapheme.cortex.fusion import Fused
from grapheme.cortex.model import Cortex
from grapheme.cortex.preparation import Prepared
from grapheme.fusion_arrays import FusionArrays
from grapheme.graph_arrays import GraphArrays
from grapheme.parameters import EncoderLayout


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
    """Everything that the forward pass leaves for the decoder and for the way back."""

    rows: FusionArrays
    batches: tuple[BrainBatch, ...]
    """Of the brains that fired on anything, ascending."""
    encoded: list[tuple[Floats, Floats]]
    embeddings: Floats
    """(rows, embed): each brain's view of a sample, the mean over its nodes."""
    fused: Fused

    def nodes_of(self, place: int, graphs: np.ndarray) -> tuple[Ints, Ints]:
        """Return the nodes of some graphs of a brain's batch in a row, and the sample of each node."""
        batch = self.batches[place]
        offsets, sizes = batch.graphs.offsets, np.diff(batch.graphs.offsets)[graphs]
        starts = np.repeat(offsets[graphs] - np.concatenate([[0], np.cumsum(sizes)[:-1]]), sizes)
        return np.arange(sizes.sum()) + starts, np.repeat(batch.samples[graphs], sizes)


def think(cortex: Cortex, samples: Sequence[Prepared], backend: Backend) -> Thought:
    """Encode every sample by every brain that fires on it, all at once, and fuse what they see."""
    rows = fusion_rows(samples)
    batches = _batches(samples, rows)
    encoded = backend.kernel("cortex.encode_brains")(*network_parts(cortex, batches, backend))
    dtype = cortex.fusion.parameters.dtype
    embeddings = np.zeros((len(rows.brains), cortex.config.embed_dim), dtype)
    for batch, (states, _) in zip(batches, encoded, strict=True):
        embeddings[batch.rows] = pooled(states[-1], batch.graphs.offsets)
    return Thought(rows, batches, encoded, embeddings, cortex.fusion.fuse(rows, embeddings, backend))


def network_parts(
    cortex: Cortex, batches: Sequence[BrainBatch], backend: Backend
) -> tuple[list[EncoderLayout], list[GraphArrays], list[Floats]]:
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


def pooled(states: Floats, offsets: np.ndarray) -> Floats:
    """Return the mean (graphs, width) over the nodes of each graph; no graph is empty."""
    sums: Floats = np.add.reduceat(states, offsets[:-1], axis=0)
    return sums / np.diff(offsets).astype(states.dtype)[:, None]


def _batches(samples: Sequence[Prepared], rows: FusionArrays) -> tuple[BrainBatch, ...]:
    owners = np.repeat(np.arange(len(samples)), np.diff(rows.offsets)).astype(np.int32)
    graphs = [graph for sample in samples for graph in sample.graphs]
    found = []
    for brain in np.unique(rows.brains).tolist():
        own = np.flatnonzero(rows.brains == brain).astype(np.int32)
        found.append(BrainBatch(brain, own, owners[own], GraphArrays.join([graphs[row] for row in own])))
    return tuple(found)
