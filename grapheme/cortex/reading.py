"""What brains make of an input before any of them thinks: graphs in numbers, confidence, and who fires."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import final

from grapheme.cortex.brain import Brain
from grapheme.cortex.config import CollaborativeCortexConfig
from grapheme.errors import InvalidInputError
from grapheme.graph.abstract import AbstractGraph
from grapheme.graph.labels import edge_labels, node_labels, text_of
from grapheme.transform.coding import CodedGraph
from grapheme.transform.vocabulary import Vocabulary

COMMON = 5
"""A label that a brain meets in inputs of other domains is learnt if so many of them have it."""


@final
@dataclass(frozen=True, eq=False)
class Seen:
    """What one brain made of an input."""

    confidence: float
    graph: AbstractGraph | None = None
    coded: CodedGraph | None = None
    reason: str = ""


@final
@dataclass(frozen=True, eq=False)
class Reading:
    """What all brains made of an input, and which of them fire, ascending."""

    text: str
    seen: tuple[Seen, ...]
    fired: tuple[int, ...]


def read(
    text: str, brains: Sequence[Brain], vocabularies: Sequence[Vocabulary], config: CollaborativeCortexConfig
) -> Reading:
    """Return what brains make of a text; one that cannot read it, or meets a label it never learnt, stays silent."""
    seen = [_seen(text, *each, config.activation_threshold) for each in zip(brains, vocabularies, strict=True)]
    able = sorted((i for i, each in enumerate(seen) if each.coded), key=lambda i: -seen[i].confidence)
    most = config.max_active_brains or len(brains)
    fired = tuple(sorted(able[:most]))
    late = {i: Seen(seen[i].confidence, seen[i].graph, None, "Others were more confident.") for i in able[most:]}
    return Reading(text, tuple(late.get(i, each) for i, each in enumerate(seen)), fired)


def _seen(text: str, brain: Brain, vocabulary: Vocabulary, threshold: float) -> Seen:
    graph = brain.parse(text)
    if graph is None:
        return Seen(0.0, reason="It cannot read the input.")
    confidence = brain.confidence_in(graph)
    if confidence < threshold:
        return Seen(confidence, graph, reason="It is not confident enough.")
    try:
        return Seen(confidence, graph, CodedGraph.of(graph, vocabulary))
    except InvalidInputError as error:
        return Seen(confidence, graph, reason=str(error))


def vocabulary_of(own: Sequence[AbstractGraph], foreign: Sequence[AbstractGraph]) -> Vocabulary:
    """Return the labels of a brain's own graphs, and of those others in which every label is common."""
    counts = Counter(key for graph in foreign for key in _keys(graph))
    known = {key for graph in own for key in _keys(graph)}
    known |= {key for key, count in counts.items() if count >= COMMON}
    return Vocabulary.of([*own, *(graph for graph in foreign if _keys(graph) <= known)])


def _keys(graph: AbstractGraph) -> set[tuple[str, str]]:
    nodes = {("node", text_of(label)) for label in node_labels(graph)}
    return nodes | {("edge", text_of(label)) for label in edge_labels(graph)}
