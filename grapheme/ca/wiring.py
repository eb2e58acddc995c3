"""Which nodes each gate of a layer reads: the published wirings."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import numpy as np

from grapheme.arrays import Ints
from grapheme.errors import InvalidInputError

CENTRE = 4
"""The cell itself among the nine of its neighbourhood."""

Wires = tuple[Ints, Ints]


def first_kernel(rng: np.random.Generator) -> Wires:
    """Wire eight gates: each of the eight neighbours, in random order, with the centre."""
    neighbours = np.array([p for p in range(9) if p != CENTRE], np.int32)
    return rng.permutation(neighbours), np.full(8, CENTRE, np.int32)


def unique(inputs: int, outputs: int, rng: np.random.Generator) -> Wires:
    """Wire ``outputs`` gates with distinct pairs of inputs, neighbours first, in random order.

    Every input is read, but for the last of an odd number in a narrow layer. The random order matters: without
    it a network learns far more slowly.
    """
    if 2 * outputs < inputs:
        raise InvalidInputError(
            f"A layer of {outputs} gates cannot read {inputs} inputs; give it at least {-(-inputs // 2)}."
        )
    pairs = np.array(list(itertools.islice(_pairs(inputs), outputs)), np.int32).reshape(-1, 2)
    if len(pairs) < outputs:
        raise InvalidInputError(
            f"{inputs} inputs make only {len(pairs)} pairs; a layer of {outputs} gates is too wide for them."
        )
    a, b = rng.permutation(pairs).T
    return np.ascontiguousarray(a), np.ascontiguousarray(b)


def _pairs(inputs: int) -> Iterator[tuple[int, int]]:
    """Yield (0,1), (2,3), ..., then (1,2), (3,4), ..., then those two apart, three apart and so on."""
    yield from ((i, i + 1) for start in (0, 1) for i in range(start, inputs - 1, 2))
    yield from ((i, i + gap) for gap in range(2, inputs) for i in range(inputs - gap))
