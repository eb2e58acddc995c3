"""The Game of Life is learnt exactly, whatever the seed, and runs on boards of any size."""

from __future__ import annotations

import json

import numpy as np
import pytest
from click.testing import CliRunner

import grapheme
from grapheme.cli import cli
from grapheme.rules import BOARDS


def plain_life(board, steps):
    """Life on a torus as a textbook has it, apart from the project's own."""
    height, width = board.shape
    for _ in range(steps):
        count = np.zeros((height, width), int)
        for dy in (-1, 0, 1):
            for dx in (-1, 0, 1):
                if dy or dx:
                    count += np.roll(np.roll(board, dy, 0), dx, 1)
        board = np.where(board, (count == 2) | (count == 3), count == 3)
    return board


@pytest.mark.parametrize("seed", range(5))
def test_a_trained_run_is_exact(tmp_path, seed):
    folder = tmp_path / "run"
    result = CliRunner().invoke(
        cli, ["train", "life", "--seed", str(seed), "--threads", "1", "--json", "--out", str(folder)]
    )
    outcome = json.loads(result.stdout)
    assert outcome["solved"]
    circuit = grapheme.load(folder).harden()
    expected = np.stack([plain_life(board, 1) for board in BOARDS[:, 0]])[:, None]
    np.testing.assert_array_equal(circuit.run(BOARDS, 1), expected)
    board = np.random.default_rng(seed).random((128, 128)) < 0.5
    np.testing.assert_array_equal(circuit.run(board[None, None], 300)[0, 0], plain_life(board, 300))
