"""Pairs that a user brings: a file with a line of JSON for each.

    {"source": "x + x", "target": "2*x"}
    {"source": {"text": "two plus two"}, "target": {"math": "2 + 2"}}

A side is text in the default domain, or names its own: ``math``, ``code``, ``text`` or one of the others.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from os import PathLike
from pathlib import Path
from typing import Any, final

from grapheme.datasets.fingerprint import fingerprints
from grapheme.datasets.pairs import GraphTask, Pair, PairSets
from grapheme.domains import Domain, domain
from grapheme.errors import InvalidInputError
from grapheme.files import readable
from grapheme.graph.abstract import AbstractGraph
from grapheme.rng import generator

KEPT = "pairs.jsonl"
"""The name of a file of pairs in the folder of a run that learns from it, so that the user's own may change."""

HELD_BACK = 0.1
"""The share of different sources that goes to validation, and again to the test."""


def kept_or_given(folder: Path | None, given: str) -> Path:
    """Return the file of pairs that a run's folder keeps, or the one that was given."""
    kept = None if folder is None else folder / KEPT
    return Path(given) if kept is None or not kept.is_file() else kept


def read_task(path: str | PathLike[str], default: str = "text") -> GraphTask:
    """Return the task of a file of pairs; results are written as the target of its first pair is."""
    found = read_pairs(path, default)
    sides = {(pair.before.name, pair.after.name) for pair in found}
    if len(sides) > 1:
        raise InvalidInputError(f"The pairs of {path} are of several domains; train on one at a time, or a cortex.")
    before, after = found[0].before, found[0].after
    both = before if before is after else Domain(f"{before.name} to {after.name}", before.parse, after.render)
    generate = partial(_split, [each.pair for each in found])
    return GraphTask(Path(path).stem, f"the pairs of {Path(path).name}", both, generate)


@final
@dataclass(frozen=True)
class FoundPair:
    """A pair of a file, with the domain of each side."""

    before: Domain
    after: Domain
    pair: Pair


def read_pairs(path: str | PathLike[str], default: str = "text") -> list[FoundPair]:
    """Return all pairs of a file; what cannot be read is an error that names its line."""
    with readable(f"the pairs of {path}"):
        lines = Path(path).read_text(encoding="utf-8").splitlines()
    found = list(_pairs(lines, path, domain(default)))
    if not found:
        raise InvalidInputError(f"There are no pairs in {path}; write a line of JSON with source and target for each.")
    return found


def _pairs(lines: list[str], path: str | PathLike[str], default: Domain) -> Iterator[FoundPair]:
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            yield _pair(line, default)
        except InvalidInputError as error:
            raise InvalidInputError(f"Line {number} of {path} is no pair. {error}") from None


def _pair(line: str, default: Domain) -> FoundPair:
    try:
        record = json.loads(line)
        sides = [record["source"], record["target"]]
    except (KeyError, TypeError, ValueError, RecursionError):
        raise InvalidInputError('Write {"source": ..., "target": ...}.') from None
    (before, source, first), (after, target, second) = (_side(side, default) for side in sides)
    return FoundPair(before, after, Pair(first, second, (source, target)))


def _side(side: Any, default: Domain) -> tuple[Domain, str, AbstractGraph]:
    own, text = default, side
    if isinstance(side, dict) and len(side) == 1:
        ((name, text),) = side.items()
        own = domain(name)
    if not isinstance(text, str):
        raise InvalidInputError('A side is text, or {"domain": text}.')
    return own, text, own.parse(text)


def _split(pairs: list[Pair], seed: int) -> PairSets:
    """Return the pairs in three sets; pairs with the same source stay together."""
    numbers = fingerprints([pair.source for pair in pairs]).tolist()
    different = sorted(set(numbers))
    order = generator(seed, "data").permutation(len(different))
    held = int(HELD_BACK * len(different)) or min(1, (len(different) - 1) // 2)
    place = {different[i]: (1 if rank < held else 2 if rank < 2 * held else 0) for rank, i in enumerate(order)}
    sets = [tuple(pair for pair, number in zip(pairs, numbers, strict=True) if place[number] == k) for k in range(3)]
    return PairSets(*sets)
