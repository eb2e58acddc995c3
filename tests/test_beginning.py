"""What gates are before they learn: wires as published, or kernels that are various neighbours or parities of some."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from grapheme.ca import DiffLogicCA
from grapheme.kernels import gates

KERNELS, WIDTHS = 4, (8, 4, 2, 1)
NEIGHBOURS = [1 << bit for bit in range(9) if bit != 4]


def seen(model: DiffLogicCA) -> np.ndarray:
    """What each kernel (kernels, 512) makes of every 3x3 neighbourhood, gate by gate."""
    codes = model.harden().codes
    boards = np.array(list(itertools.product([False, True], repeat=9))).T
    found = []
    for kernel in range(model.kernels):
        values, first = boards, 0
        for a, b in model.perceive:
            own = codes[first + kernel * len(a) :][: len(a)]
            values = np.array([_applied(int(code), values[i], values[j]) for code, i, j in zip(own, a, b, strict=True)])
            first += model.kernels * len(a)
        found.append(values[0])
    return np.array(found)


def _applied(code: int, x: np.ndarray, y: np.ndarray) -> list[bool]:
    return [gates.value(code, a, b) for a, b in zip(x.tolist(), y.tolist(), strict=True)]


def built(seed: int, xors: float | None) -> DiffLogicCA:
    return DiffLogicCA.build(2, KERNELS, WIDTHS, (6, 4, 2), seed=seed, xors=xors)


@pytest.mark.parametrize("seed", range(3))
def test_kernels_start_as_parities_of_some_neighbours(seed):
    """A parity of bits is their sum modulo 2: of the sum of two inputs it is the sum of both."""
    results = seen(built(seed, xors=0.5))
    sums = np.arange(512)[:, None] ^ np.arange(512)[None]
    for result in results:
        np.testing.assert_array_equal(result[sums], result[:, None] ^ result[None])
        assert np.count_nonzero(result) == 256, "of at least one bit"
        assert not result[0b000010000], "the cell itself is none of the neighbours"
    assert len({result.tobytes() for result in results}) > 1
    assert results[:, NEIGHBOURS].any(axis=0).all(), "each neighbour is read by one at least"


@pytest.mark.parametrize("seed", range(3))
def test_without_xors_every_kernel_starts_as_a_neighbour_and_together_they_are_all(seed):
    results = seen(DiffLogicCA.build(2, 16, WIDTHS, (17, 9, 5, 3, 2), seed=seed, xors=0.0))
    boards = np.arange(512)
    read = [[bit for bit in NEIGHBOURS if np.array_equal(result, boards & bit > 0)] for result in results]
    assert {len(bits) for bits in read} == {1}
    assert {bit for bits in read for bit in bits} == set(NEIGHBOURS)


def test_the_published_start_passes_one_neighbour_through_every_kernel():
    results = seen(built(0, xors=None))
    assert len({result.tobytes() for result in results}) == 1
    flips = [np.count_nonzero(results[0] ^ results[0][np.arange(512) ^ (1 << bit)]) for bit in range(9)]
    assert sorted(flips) == [0] * 8 + [512]


@pytest.mark.parametrize("xors", [0.0, 0.5])
def test_what_kernels_start_as_changes_no_wires(xors):
    one, other = built(1, xors=xors), built(1, xors=None)
    for wires, same in zip(one.perceive + one.update, other.perceive + other.update, strict=True):
        np.testing.assert_array_equal(wires, same)
