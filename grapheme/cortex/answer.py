"""What a cortex answers: the brain that the attention chooses edits its graph, knowing what all brains see."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from grapheme.backend import Backend
from grapheme.cortex.model import Cortex
from grapheme.cortex.preparation import read_in
from grapheme.cortex.reading import Reading
from grapheme.cortex.records import BrainActivation, CollaborativeResult
from grapheme.cortex.samples import Sample
from grapheme.cortex.thought import Thought, think
from grapheme.domains.domain import Domain
from grapheme.errors import GraphemeError
from grapheme.graph.graph import Graph
from grapheme.transform.apply import apply_edits


def answer(cortex: Cortex, texts: Sequence[str], backend: Backend) -> list[CollaborativeResult]:
    """Return what each input becomes; nothing, where no brain fires."""
    readings = [cortex.read(text) for text in texts]
    heard = [i for i, reading in enumerate(readings) if reading.fired]
    results = [CollaborativeResult(reading.text, _activations(cortex, reading, {})) for reading in readings]
    if heard:
        thought = think(cortex, [read_in(readings[i]) for i in heard], backend)
        for i, result in zip(heard, _results(cortex, [readings[i] for i in heard], thought, backend), strict=True):
            results[i] = result
    return results


def is_right(result: CollaborativeResult, sample: Sample, domain: Domain) -> bool:
    """Say whether an output is the sample's target, however ``domain``, that of the sample, writes either."""
    if result.text is None:
        return False
    try:
        return domain.render(domain.parse(result.text)) == domain.render(domain.parse(sample.target))
    except GraphemeError:
        return False


def _results(
    cortex: Cortex, readings: Sequence[Reading], thought: Thought, backend: Backend
) -> list[CollaborativeResult]:
    weights, offsets = backend.to_numpy(thought.fused.weights), thought.rows.offsets.tolist()
    shares = [weights[first:last] for first, last in pairwise(offsets)]
    chosen = [reading.fired[int(np.argmax(share))] for reading, share in zip(readings, shares, strict=True)]
    outputs = _outputs(cortex, readings, chosen, thought, backend)
    results = []
    for reading, share, brain, output in zip(readings, shares, chosen, outputs, strict=True):
        by_brain = dict(zip(reading.fired, share.tolist(), strict=True))
        results.append(
            CollaborativeResult(
                reading.text,
                _activations(cortex, reading, by_brain),
                cortex.brains[brain].name,
                reading.seen[brain].graph,
                output,
                _written(cortex, brain, output),
            )
        )
    return results


def _outputs(
    cortex: Cortex, readings: Sequence[Reading], chosen: Sequence[int], thought: Thought, backend: Backend
) -> list[Graph]:
    outputs: dict[int, Graph] = {}
    for place, batch in enumerate(thought.batches):
        own = np.flatnonzero([chosen[sample] == batch.brain for sample in batch.samples])
        if not len(own):
            continue
        nodes, node_samples = thought.nodes_of(place, own)
        states = thought.seen_by(place, nodes, node_samples, backend)
        mine, network = batch.samples[own].tolist(), cortex.networks[batch.brain]
        sources = [coded for i in mine if (coded := readings[i].seen[batch.brain].coded) is not None]
        edits = network.decode(sources, states, backend)
        outputs.update((i, apply_edits(each, network.vocabulary)) for i, each in zip(mine, edits, strict=True))
    return [outputs[i] for i in range(len(readings))]


def _written(cortex: Cortex, brain: int, output: Graph) -> str | None:
    try:
        return cortex.brains[brain].domain.render(output)
    except GraphemeError:
        return None


def _activations(cortex: Cortex, reading: Reading, weights: dict[int, float]) -> tuple[BrainActivation, ...]:
    return tuple(
        BrainActivation(brain.name, seen.confidence, weights.get(i, 0.0), i in reading.fired, seen.reason)
        for i, (brain, seen) in enumerate(zip(cortex.brains, reading.seen, strict=True))
    )
