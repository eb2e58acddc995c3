"""Random batches of graphs, edits and networks, a function of a seed and a size."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from grapheme.arrays import Floats
from grapheme.kernels.graph_arrays import EditArrays, EditTargets, GraphArrays, WholeTargets
from grapheme.kernels.parameters import EncoderLayout, HeadsLayout

FEATURES = 3
"""Features of a pair, of which some are none."""


@dataclass(frozen=True)
class EditSizes:
    """How large a random problem is."""

    examples: int = 5
    nodes: int = 6
    labels: int = 3
    edge_labels: int = 2
    slots: int = 2
    width: int = 6
    layers: int = 2
    directed: bool = True
    mean: bool = False
    norm: bool = False
    shared: bool = False
    dtype: str = "float64"


@dataclass(frozen=True)
class EditProblem:
    """Arguments for the kernels of the group ``cortex``."""

    encoder: EncoderLayout
    heads: HeadsLayout
    graphs: GraphArrays
    edits: EditArrays
    targets: EditTargets
    whole: WholeTargets
    encoder_parameters: Floats
    heads_parameters: Floats
    embeddings: Floats
    """(nodes, width), unrelated to the encoder; its gradients as well."""
    logits: tuple[Floats, Floats, Floats]
    """Of nodes, slots and pairs; unrelated to the heads."""


def edit_problem(seed: int, sizes: EditSizes) -> EditProblem:
    """Return a problem of so many examples of up to so many nodes, empty stretches included."""
    rng = np.random.default_rng(seed)
    encoder = EncoderLayout(
        sizes.labels, 4, sizes.edge_labels * (1 + sizes.directed), sizes.width, sizes.layers, sizes.mean, sizes.norm,
        sizes.shared,
    )  # fmt: skip
    heads = HeadsLayout(sizes.labels, sizes.edge_labels, sizes.slots, sizes.width, sizes.width + 1, 7, sizes.directed)
    examples = [_example(rng, sizes, heads, encoder) for _ in range(sizes.examples)]
    graphs = GraphArrays.join([example[0] for example in examples])
    edits = EditArrays.join([example[1] for example in examples])
    targets = EditTargets.join([example[2] for example in examples])
    whole = WholeTargets.join([example[3] for example in examples])
    shapes = (len(edits.labels), 1 + sizes.labels), (len(edits.labels), sizes.slots, 1 + sizes.labels), (
        len(edits.pairs), 1 + sizes.edge_labels
    )  # fmt: skip

    def numbers(*shape: int) -> Floats:
        return rng.normal(0, 0.5, shape).astype(sizes.dtype)

    return EditProblem(
        encoder, heads, graphs, edits, targets, whole, numbers(encoder.size), numbers(heads.size),
        numbers(graphs.nodes, sizes.width), (numbers(*shapes[0]), numbers(*shapes[1]), numbers(*shapes[2])),
    )  # fmt: skip


def _example(
    rng: np.random.Generator, sizes: EditSizes, heads: HeadsLayout, encoder: EncoderLayout
) -> tuple[GraphArrays, EditArrays, EditTargets, WholeTargets]:
    nodes = int(rng.integers(1, sizes.nodes + 1))
    labels = _ints(rng, sizes.labels, nodes)
    return (
        _graph(rng, labels, encoder),
        *_edits(rng, sizes, labels, heads),
        _whole(rng, sizes, nodes),
    )


def _graph(rng: np.random.Generator, labels: np.ndarray, encoder: EncoderLayout) -> GraphArrays:
    nodes = len(labels)
    present = np.argwhere(rng.random((nodes, encoder.relations, nodes)) < 0.4)
    indptr = np.concatenate([[0], np.cumsum(np.bincount(present[:, 0], minlength=nodes))])
    degrees = _ints(rng, encoder.degrees, nodes), _ints(rng, encoder.degrees, nodes)
    messages = present[:, 2].astype(np.int32), present[:, 1].astype(np.int32)
    return GraphArrays(np.array([0, nodes]), labels, *degrees, indptr, *messages)


def _edits(
    rng: np.random.Generator, sizes: EditSizes, labels: np.ndarray, heads: HeadsLayout
) -> tuple[EditArrays, EditTargets]:
    nodes = len(labels)
    new = np.argwhere(rng.random((nodes, sizes.slots)) < 0.4).astype(np.int32)
    every = nodes + len(new)
    allowed = np.ones((every, every), np.bool_) if sizes.directed else np.triu(np.ones((every, every), np.bool_))
    pairs = np.argwhere(allowed & (rng.random((every, every)) < 0.5)).astype(np.int32)
    features = rng.integers(-1, heads.rows, (len(pairs), FEATURES)).astype(np.int32)
    edits = EditArrays(
        np.array([0, nodes]), labels, np.array([0, len(new)]), new[:, 0], new[:, 1], np.array([0, len(pairs)]), pairs,
        features,
    )  # fmt: skip
    wanted = _ints(rng, 1 + sizes.labels, nodes * (1 + sizes.slots))
    return edits, EditTargets(
        wanted[:nodes], wanted[nodes:].reshape(nodes, sizes.slots), _ints(rng, 1 + sizes.edge_labels, len(pairs))
    )


def _whole(rng: np.random.Generator, sizes: EditSizes, nodes: int) -> WholeTargets:
    """Return a target with up to twice as many nodes, or fewer."""
    size = int(rng.integers(1, 2 * nodes + 1))
    ends = np.argwhere(rng.random((size, size)) < 0.4)
    ends = ends if sizes.directed else ends[ends[:, 0] <= ends[:, 1]]
    edges = np.concatenate([ends, _ints(rng, sizes.edge_labels, len(ends))[:, None]], axis=1).astype(np.int32)
    triangles = rng.integers(0, 4, size).astype(np.float64)
    counts = np.array([0, size]), _ints(rng, sizes.labels, size), np.array([0, len(edges)])
    return WholeTargets(sizes.directed, *counts, edges, triangles)


def _ints(rng: np.random.Generator, below: int, count: int) -> np.ndarray:
    return rng.integers(0, below, count).astype(np.int32)
