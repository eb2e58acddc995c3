"""What gates are before they learn: wires as published, or kernels that are parities of some neighbours."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from grapheme import gates
from grapheme.ca import DiffLogicCA

KERNELS, WIDTHS = 4, (8, 4, 2, 1)


def seen(model: DiffLogicCA) -> np.ndarray:
    """What each kernel (kernels, 512) makes of every 3x3 neighbourhood, gate by gate."""
    codes = model.harden().codes
    boards = np.array(list(itertools.product([False, True], repeat=9))).T
    found = []
    for kernel in range(KERNELS):
        values, first = boards, 0
        for a, b in model.perceive:
            own = codes[first + kernel * len(a) :][: len(a)]
            values = np.array([_applied(int(code), values[i], values[j]) for code, i, j in zip(own, a, b, strict=True)])
            first += KERNELS * len(a)
        found.append(values[0])
    return np.array(found)


def _applied(code: int, x: np.ndarray, y: np.ndarray) -> list[bool]:
    return [gates.value(code, a, b) for a, b in zip(x.tolist(), y.tolist(), strict=True)]


def built(seed: int, parities: bool) -> DiffLogicCA:
    return DiffLogicCA.build(2, KERNELS, WIDTHS, (6, 4, 2), seed=seed, parities=parities)


@pytest.mark.parametrize("seed", range(3))
def test_kernels_start_as_parities_of_some_neighbours(seed):
    """A parity of bits is their sum modulo 2: of the sum of two inputs it is the sum of both."""
    results = seen(built(seed, parities=True))
    sums = np.arange(512)[:, None] ^ np.arange(512)[None]
    for result in results:
        np.testing.assert_array_equal(result[sums], result[:, None] ^ result[None])
        assert np.count_nonzero(result) == 256, "of at least one bit"
        assert not result[0b000010000], "the cell itself is none of the neighbours"
    assert len({result.tobytes() for result in results}) > 1
    neighbours = [1 << bit for bit in range(9) if bit != 4]
    assert results[:, neighbours].any(axis=0).all(), "each neighbour is read by one at least"


def test_the_published_start_passes_one_neighbour_through_every_kernel():
    results = seen(built(0, parities=False))
    assert len({result.tobytes() for result in results}) == 1
    flips = [np.count_nonzero(results[0] ^ results[0][np.arange(512) ^ (1 << bit)]) for bit in range(9)]
    assert sorted(flips) == [0] * 8 + [512]


def test_parities_change_no_wires():
    one, other = built(1, parities=True), built(1, parities=False)
    for wires, same in zip(one.perceive + one.update, other.perceive + other.update, strict=True):
        np.testing.assert_array_equal(wires, same)
