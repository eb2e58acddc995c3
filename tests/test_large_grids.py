"""Machine code made for a circuit, on large grids: against the oracle and against Life by counting."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import grapheme
from grapheme.rules import game_of_life
from grapheme.testing import assert_same_bits, grid_problem

from .circuits import hand_made_life, plain_life

rows = pytest.importorskip("grapheme_numba.rows", reason="numba is not installed")


@pytest.mark.parametrize("width", [1, 2, 3, 31, 63, 64, 65, 127, 128, 129, 251, 256, 509, 512, 521, 1031])
@pytest.mark.parametrize("boundary", ["periodic", "zero"])
@pytest.mark.parametrize("asynchronous", [False, True], ids=["sync", "async"])
def test_rows_at_every_width(oracle, width, boundary, asynchronous):
    for shape in ((2, 2, 3, width), (1, 1, 1, width), (3, 1, 2, width)):
        p = grid_problem(width, shape, gates=25, boundary=boundary, asynchronous=asynchronous)
        arguments = (p.netlist, p.codes, p.bits, p.steps, boundary, p.fire)
        expected = oracle.batch.hard_rollout(*arguments)
        assert_same_bits(rows.rollout(*arguments), expected, f"shape {shape}")


@given(
    p=st.builds(
        grid_problem,
        seed=st.integers(0, 2**32),
        shape=st.tuples(st.integers(1, 3), st.integers(1, 4), st.integers(1, 40), st.integers(1, 200)),
        gates=st.integers(1, 100),
        boundary=st.sampled_from(["periodic", "zero"]),
        asynchronous=st.booleans(),
    )
)
def test_rows_of_any_circuit(p):
    expected = grapheme.get_backend("numpy").batch.hard_rollout(p.netlist, p.codes, p.bits, p.steps, p.boundary, p.fire)
    assert_same_bits(rows.rollout(p.netlist, p.codes, p.bits, p.steps, p.boundary, p.fire), expected, "bits")


def test_a_large_grid_is_exact_on_any_number_of_threads(numba):
    """Large enough that the backend itself makes machine code; the expected grid is numpy's rolled sums."""
    grid = np.random.default_rng(3).random((1, 1, 1000, 2050)) < 0.35
    expected = grid
    for _ in range(12):
        expected = game_of_life(expected)
    assert_same_bits(hand_made_life().run(grid, 12, backend=numba), np.ascontiguousarray(expected), "life")


def test_life_by_counting():
    grid = np.random.default_rng(4).random((33, 65)) < 0.4
    for boundary in ("periodic", "zero"):
        circuit = hand_made_life(boundary)
        actual = rows.rollout(circuit.netlist, circuit.codes, grid[None, None], 1, boundary, None)
        assert np.array_equal(actual[0, 0], plain_life(grid, boundary == "periodic"))
