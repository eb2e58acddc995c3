"""Samples as kernels see them: which brains fire, their graphs, and the edits that are right."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

from grapheme.cortex.model import Cortex
from grapheme.cortex.reading import Reading
from grapheme.cortex.samples import Sample
from grapheme.errors import InvalidInputError
from grapheme.kernels.graph_arrays import GraphArrays
from grapheme.transform.align import align
from grapheme.transform.coding import CodedGraph
from grapheme.transform.supervision import Example, plan, supervise


@final
@dataclass(frozen=True, eq=False)
class Prepared:
    """A sample that has been read once and for all."""

    fired: tuple[int, ...]
    confidence: tuple[float, ...]
    graphs: tuple[GraphArrays, ...]
    """Of each brain that fired."""
    own: int | None = None
    """The brain of the sample's domain, if it fired."""
    example: Example | None = None
    """The edits of that brain's graph that are right."""


def read_in(reading: Reading) -> Prepared:
    """Return an input for which nothing is known to be right."""
    seen = [reading.seen[i] for i in reading.fired]
    graphs = tuple(each.coded.arrays() for each in seen if each.coded is not None)
    return Prepared(reading.fired, tuple(each.confidence for each in seen), graphs)


def prepare(cortex: Cortex, sample: Sample) -> Prepared:
    """Return a sample with its edits; without, if its own brain does not fire on it."""
    reading, brain = cortex.read(sample.source), cortex.index(sample.domain)
    known = read_in(reading)
    source = reading.seen[brain].coded
    if brain not in reading.fired or source is None:
        return known
    example = _example(cortex, brain, source, sample)
    return Prepared(known.fired, known.confidence, known.graphs, brain, example)


def _example(cortex: Cortex, brain: int, source: CodedGraph, sample: Sample) -> Example:
    network, graph = cortex.networks[brain], cortex.brains[brain].parse(sample.target)
    if graph is None:
        raise InvalidInputError(f"The brain '{sample.domain}' cannot read the target '{sample.target}'.")
    target = CodedGraph.of(graph, network.vocabulary)
    chosen = cortex.plans.get(sample) or plan(source, target, align(source, target))
    return supervise(source, target, chosen, network.space)
