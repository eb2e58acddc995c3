from __future__ import annotations

import re

import numpy as np
from click.testing import CliRunner
from grapheme_majority.experiment import vote

import grapheme
from grapheme.cli import cli
from grapheme.plugins import plugins


def test_a_vote_by_hand():
    board = np.zeros((5, 5), bool)
    board[1:4, 1:3] = True  # six cells: the inner two of each row see six or four others
    later = vote(board)
    assert later[2].tolist() == [False, True, True, False, False]
    assert later[1].tolist() == [False, False, False, False, False]


def test_a_learnt_vote_ends_with_period_one_or_two(tmp_path):
    """Symmetric votes have period at most two (Goles and Olivos, 1981)."""
    plugins().manager.hook.grapheme_commands(cli=cli)
    folder = tmp_path / "run"
    result = CliRunner().invoke(cli, ["train", "majority", "--out", str(folder), "--quiet"])
    assert result.exit_code == 0, result.output
    board = np.random.default_rng(1).random((1, 1, 20, 20)) < 0.5
    np.testing.assert_array_equal(grapheme.load(folder).rollout(board, 1, hard=True), vote(board))
    for seed in range(3):
        shown = CliRunner().invoke(cli, ["settle", str(folder), "--seed", str(seed)]).output
        assert re.match(r"settled after \d+ steps, period [12]\n", shown), shown
