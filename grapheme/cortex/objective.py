"""Loss and gradient of a cortex on a batch.

The structural loss of a sample is how unlikely the right answer is: that its own brain is chosen, which the attention
decides, and that all edits of that brain's graph are right. The collaboration loss is how far apart the views are that
brains have of one sample, and how little a brain's views differ between samples.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import final

import numpy as np

from grapheme.arrays import Array, Floats, Ints
from grapheme.backend import Backend
from grapheme.cortex.fusion import FUSION
from grapheme.cortex.model import Cortex
from grapheme.cortex.pooling import placed, pooled_grad, rows_of
from grapheme.cortex.preparation import Prepared
from grapheme.cortex.records import BatchLoss
from grapheme.cortex.thought import Thought, network_parts, think
from grapheme.timing import section
from grapheme.transform.objective import decided
from grapheme.transform.supervision import Example

LEAST_WEIGHT = 1e-12
"""Weights below this count as this, so that their logarithm is finite."""


@final
@dataclass(frozen=True, eq=False)
class CortexLoss:
    """What a step needs to know of a batch."""

    loss: BatchLoss
    right: np.ndarray
    """(samples,) bool: of which samples the right brain was chosen and every edit is right."""
    grads: dict[str, Array]
    """The gradient of the total loss by name of the parameters, as arrays of the backend; 0 of silent brains."""
    active: tuple[int, ...]
    """How many samples each brain fired on."""


@final
@dataclass(frozen=True, eq=False)
class _Decoded:
    """What decoding one brain's own samples gave."""

    place: int
    """Of the brain in the thought's batches."""
    samples: Ints
    nodes: Ints
    """Of the brain's batch."""
    example: Example
    losses: Floats
    right: np.ndarray
    grad: Array
    """(nodes, embed), of the sum of the losses."""
    parts: Array


def loss_and_grad(cortex: Cortex, samples: Sequence[Prepared], backend: Backend) -> CortexLoss:
    """Return the losses of a batch and the gradient of the total."""
    with section("forward"):
        thought = think(cortex, samples, backend)
        decoded = _decode(cortex, thought, samples, backend)  # its kernel says what of it is loss or backward
    with section("loss"):
        structural, right, weights = _structural(thought, samples, decoded, backend)
        collaboration, apart = _collaboration(cortex, thought, backend)
    with section("backward"):
        share = cortex.config.structural_weight / len(samples)
        grads = _backward(cortex, thought, decoded, share, share * weights, apart, backend)
    total = cortex.config.structural_weight * structural + cortex.config.collaboration_weight * collaboration
    loss = BatchLoss(total, structural, collaboration, len(samples))
    active = tuple(np.bincount(thought.rows.brains, minlength=len(cortex.brains)).tolist())
    return CortexLoss(loss, right, grads, active)


def _decode(cortex: Cortex, thought: Thought, samples: Sequence[Prepared], backend: Backend) -> list[_Decoded]:
    """Score the edits of every sample's own brain, given what all brains see together."""
    chosen, examples, inputs, found = [], [], [], []
    for place, batch in enumerate(thought.batches):
        own = np.flatnonzero([samples[i].own == batch.brain for i in batch.samples])
        if len(own):
            nodes, node_samples = thought.nodes_of(place, own)
            chosen.append((place, batch.samples[own], nodes))
            examples.append(Example.join([_example(samples[i]) for i in batch.samples[own]]))
            inputs.append(thought.seen_by(place, nodes, node_samples, backend))
    networks = [cortex.networks[thought.batches[place].brain] for place, *_ in chosen]
    results = backend.cortex.decode_brains(
        [network.heads for network in networks],
        [example.edits for example in examples],
        [example.edit_targets for example in examples],
        [network.on(backend)["heads"] for network in networks],
        inputs,
    )
    for (place, mine, nodes), example, (losses, logits, grad, parts) in zip(chosen, examples, results, strict=True):
        with section("loss"):
            right = decided(example, [backend.to_numpy(part) for part in logits])
        found.append(_Decoded(place, mine, nodes, example, backend.to_numpy(losses), right, grad, parts))
    return found


def _example(sample: Prepared) -> Example:
    if sample.example is None:
        raise ValueError("a sample without edits has no brain of its own")
    return sample.example


def _structural(
    thought: Thought, samples: Sequence[Prepared], decoded: Sequence[_Decoded], backend: Backend
) -> tuple[float, np.ndarray, Floats]:
    """Return the mean loss, which samples are right, and the gradient (rows,) of the sum by the attention."""
    weights, offsets = backend.to_numpy(thought.fused.weights), thought.rows.offsets
    grad, right, total = np.zeros_like(weights), np.zeros(len(samples), np.bool_), 0.0
    for part in decoded:
        brain = thought.batches[part.place].brain
        total += float(part.losses.sum(dtype=np.float64))
        for sample, well in zip(part.samples.tolist(), part.right, strict=True):
            first, last = offsets[sample], offsets[sample + 1]
            row = first + samples[sample].fired.index(brain)
            total -= float(np.log(max(weights[row], LEAST_WEIGHT)))
            grad[row] = -1 / max(weights[row], LEAST_WEIGHT)
            right[sample] = bool(well) and row == first + int(np.argmax(weights[first:last]))
    return total / len(samples), right, grad


def _collaboration(cortex: Cortex, thought: Thought, backend: Backend) -> tuple[float, Array]:
    """Return the collaboration loss, and the gradient (rows, embed) of its share in the total."""
    kernel = backend.cortex.collaborate
    *losses, apart, together = kernel(cortex.fusion.layout, thought.rows, thought.embeddings)
    distances, shortfalls = map(backend.to_numpy, losses)
    samples, brains, weight = len(distances), len(shortfalls), cortex.config.collaboration_weight
    loss = float(distances.sum(dtype=np.float64)) / samples + float(shortfalls.sum(dtype=np.float64)) / brains
    return loss, weight / samples * apart + weight / brains * together


def _backward(
    cortex: Cortex, thought: Thought, decoded: Sequence[_Decoded], share: float, weights: Floats, apart: Array,
    backend: Backend,
) -> dict[str, Array]:  # fmt: skip
    """Return the gradients of all parameters, from the edits back to the labels."""
    pulled = [share * part.grad for part in decoded]
    embeddings, fusion = cortex.fusion.pull_back(
        thought.rows, thought.embeddings, thought.fused, backend.asarray(weights),
        _contexts_grad(thought, decoded, pulled, backend), backend,
    )  # fmt: skip
    states = _states_grad(thought, decoded, pulled, embeddings + apart, backend)
    kernel = backend.cortex.encode_brains_grad
    encoders = kernel(*network_parts(cortex, thought.batches, backend), thought.encoded, states)
    names = [cortex.brains[batch.brain].name for batch in thought.batches]
    grads = {FUSION: _summed(fusion, backend)}
    for name, parts in zip(names, encoders, strict=True):
        grads[f"{name}.encoder"] = _summed(parts, backend)
    for part in decoded:
        grads[f"{names[part.place]}.heads"] = share * _summed(part.parts, backend)
    return {
        name: grads[name] if name in grads else backend.xp.zeros_like(vector)
        for name, vector in cortex.on(backend).items()
    }


def _contexts_grad(thought: Thought, decoded: Sequence[_Decoded], pulled: Sequence[Array], backend: Backend) -> Array:
    """Return the gradient (samples, embed) of the contexts; each was added to all nodes of one graph."""
    contexts = thought.fused.contexts
    if not decoded:
        return backend.xp.zeros_like(contexts)
    node_sums = backend.cortex.node_sums
    sums = [node_sums(part.example.graphs, grad) for part, grad in zip(decoded, pulled, strict=True)]
    return placed(sums, [part.samples for part in decoded], contexts.shape[0], backend)


def _states_grad(
    thought: Thought, decoded: Sequence[_Decoded], pulled: Sequence[Array], embeddings: Array, backend: Backend
) -> list[Array]:
    """Return the gradient of each brain's nodes: of their mean, and of those whose edits were scored."""
    grads = [pooled_grad(batch.graphs, rows_of(embeddings, batch.rows, backend), backend) for batch in thought.batches]
    for part, grad in zip(decoded, pulled, strict=True):
        rows = thought.batches[part.place].graphs.nodes
        grads[part.place] = placed([grad], [part.nodes], rows, backend) + grads[part.place]
    return grads


def _summed(parts: Array, backend: Backend) -> Array:
    """Return partial sums added up in their order."""
    with section("merge"):
        total = backend.xp.asarray(parts[0, ...], copy=True)
        for part in range(1, parts.shape[0]):
            total += parts[part, ...]
        return total
