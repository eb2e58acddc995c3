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

from grapheme.arrays import Floats, Ints
from grapheme.backend import Backend
from grapheme.cortex.model import FUSION, Cortex
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
    grads: dict[str, Floats]
    """The gradient of the total loss by name of the parameters; of brains that did not fire it is 0."""
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
    node_samples: Ints
    losses: Floats
    right: np.ndarray
    grad: Floats
    """(nodes, embed), of the sum of the losses."""
    parts: Floats


def loss_and_grad(cortex: Cortex, samples: Sequence[Prepared], backend: Backend) -> CortexLoss:
    """Return the losses of a batch and the gradient of the total."""
    with section("forward"):
        thought = think(cortex, samples, backend)
    with section("decode"):
        decoded = _decode(cortex, thought, samples, backend)
    with section("backward"):
        structural, right, weights = _structural(thought, samples, decoded)
        collaboration, apart = _collaboration(cortex, thought, backend)
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
            states = thought.encoded[place][0][-1]
            chosen.append((place, own, nodes, node_samples))
            examples.append(Example.join([_example(samples[i]) for i in batch.samples[own]]))
            inputs.append(states[nodes] + thought.fused.contexts[node_samples])
    networks = [cortex.networks[thought.batches[place].brain] for place, *_ in chosen]
    results = backend.kernel("cortex.decode_brains")(
        [network.heads for network in networks],
        [example.edits for example in examples],
        [example.targets for example in examples],
        [network.on(backend)["heads"] for network in networks],
        inputs,
    )
    for (place, own, nodes, node_samples), example, (losses, logits, grad, parts) in zip(
        chosen, examples, results, strict=True
    ):
        mine = thought.batches[place].samples[own]
        found.append(_Decoded(place, mine, nodes, node_samples, losses, decided(example, logits), grad, parts))
    return found


def _example(sample: Prepared) -> Example:
    if sample.example is None:
        raise ValueError("a sample without edits has no brain of its own")
    return sample.example


def _structural(
    thought: Thought, samples: Sequence[Prepared], decoded: Sequence[_Decoded]
) -> tuple[float, np.ndarray, Floats]:
    """Return the mean loss, which samples are right, and the gradient (rows,) of the sum by the attention."""
    weights, offsets = thought.fused.weights, thought.rows.offsets
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


def _collaboration(cortex: Cortex, thought: Thought, backend: Backend) -> tuple[float, Floats]:
    """Return the collaboration loss, and the gradient (rows, embed) of its share in the total."""
    kernel = backend.kernel("cortex.collaborate")
    distances, shortfalls, apart, together = kernel(cortex.fusion.layout, thought.rows, thought.embeddings)
    samples, brains, weight = len(distances), len(shortfalls), cortex.config.collaboration_weight
    loss = float(distances.sum(dtype=np.float64)) / samples + float(shortfalls.sum(dtype=np.float64)) / brains
    kind = thought.embeddings.dtype.type
    return loss, kind(weight / samples) * apart + kind(weight / brains) * together


def _backward(
    cortex: Cortex, thought: Thought, decoded: Sequence[_Decoded], share: float, weights: Floats, apart: Floats,
    backend: Backend,
) -> dict[str, Floats]:  # fmt: skip
    """Return the gradients of all parameters, from the edits back to the labels."""
    kind = thought.embeddings.dtype.type
    contexts = np.zeros_like(thought.fused.contexts)
    states = [np.zeros_like(encoded[0][-1]) for encoded in thought.encoded]
    grads = {name: np.zeros_like(vector) for name, vector in cortex.parameters.items()}
    for part in decoded:
        pulled = kind(share) * part.grad
        states[part.place][part.nodes] += pulled
        starts = np.flatnonzero(np.diff(part.node_samples, prepend=-1))
        contexts[part.samples] = np.add.reduceat(pulled, starts, axis=0)
        name = cortex.brains[thought.batches[part.place].brain].name
        grads[f"{name}.heads"] = kind(share) * _summed(part.parts)
    embeddings, fusion = cortex.fusion.pull_back(
        thought.rows, thought.embeddings, thought.fused, weights.astype(kind), contexts, backend
    )
    grads[FUSION] = _summed(fusion)
    embeddings = embeddings + apart
    for batch, state in zip(thought.batches, states, strict=True):
        sizes = np.diff(batch.graphs.offsets)
        state += np.repeat(embeddings[batch.rows] / sizes.astype(kind)[:, None], sizes, axis=0)
    kernel = backend.kernel("cortex.encode_brains_grad")
    parts = kernel(*network_parts(cortex, thought.batches, backend), thought.encoded, states)
    for batch, encoder in zip(thought.batches, parts, strict=True):
        grads[f"{cortex.brains[batch.brain].name}.encoder"] = _summed(encoder)
    return grads


def _summed(parts: Floats) -> Floats:
    """Return partial sums added up in their order."""
    total: Floats = parts[0].copy()
    for part in parts[1:]:
        total += part
    return total
