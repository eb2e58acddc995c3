"""What a cortex learns from: inputs as they are written, what they become, and whose they are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from os import PathLike
from typing import final

from grapheme.datasets import code, mathematics, spelling
from grapheme.datasets.drawing import Draw, Sizes, any_of, draw_sets, written
from grapheme.datasets.files import HELD_BACK, read_pairs
from grapheme.datasets.pairs import Pair, PairSets
from grapheme.domains.shipped import CODE, TEXT
from grapheme.errors import InvalidInputError
from grapheme.rng import generator


@final
@dataclass(frozen=True)
class Sample:
    """A pair of texts, and the domain in which the second is what the first becomes."""

    source: str
    target: str
    domain: str


@final
@dataclass(frozen=True)
class SampleSets:
    """Samples to learn from, to choose by and to judge by, that share no source."""

    train: tuple[Sample, ...]
    validation: tuple[Sample, ...]
    test: tuple[Sample, ...]


LEVELS = (3, 4, 6, 7)
"""Of mathematics: substitution, functions, simplification and equations, which need few facts to be learnt by heart."""

DOMAINS: dict[str, Draw] = {
    "code": written(CODE, code.program),
    "math": any_of([mathematics.DRAWS[level - 1] for level in LEVELS]),
    "text": any_of([written(TEXT, change) for change in (spelling.case, spelling.spelling)]),
}
"""What the mixed set is made of, as much of each as of the others."""


def mixed(seed: int, sizes: Sizes) -> SampleSets:
    """Return samples of mathematics, code and text; ``sizes`` is how many of each."""
    found = {name: draw_sets(draw, sizes, seed) for name, draw in DOMAINS.items()}
    return SampleSets(*(_shuffled(found, part, seed) for part in ("train", "validation", "test")))


def read_samples(path: str | PathLike[str], default: str = "text") -> list[Sample]:
    """Return the samples of a file of pairs, each of one domain on both sides."""
    samples = []
    for found in read_pairs(path, default):
        source, target = found.pair.text or ("", "")
        if found.before is not found.after:
            raise InvalidInputError(
                f"The pair '{source}' to '{target}' of {path} is of two domains; a brain answers in the one it reads."
            )
        samples.append(Sample(source, target, found.before.name))
    return samples


def split(samples: Sequence[Sample], seed: int) -> SampleSets:
    """Return samples in three sets; those with the same source stay together."""
    sources = sorted({(sample.domain, sample.source) for sample in samples})
    held = int(HELD_BACK * len(sources)) or min(1, (len(sources) - 1) // 2)
    order = generator(seed, "data").permutation(len(sources)).tolist()
    place = {sources[i]: 1 if rank < held else 2 if rank < 2 * held else 0 for rank, i in enumerate(order)}
    parts = [tuple(each for each in samples if place[each.domain, each.source] == part) for part in range(3)]
    return SampleSets(*parts)


def batches(samples: Sequence[Sample], size: int, order: Sequence[int]) -> list[list[Sample]]:
    """Return the samples in an order, cut into batches."""
    return [[samples[i] for i in order[first : first + size]] for first in range(0, len(order), size)]


def _shuffled(found: dict[str, PairSets], part: str, seed: int) -> tuple[Sample, ...]:
    samples = [_sample(pair, name) for name, sets in found.items() for pair in getattr(sets, part)]
    return tuple(samples[i] for i in generator(seed, "data", 1).permutation(len(samples)))


def _sample(pair: Pair, domain: str) -> Sample:
    source, target = pair.text or ("", "")
    return Sample(source, target, domain)
