"""Rules to learn, against what is known of them."""

from __future__ import annotations

import numpy as np
import pytest
from click.testing import CliRunner
from grapheme.experiments.registry import experiment

from grapheme.cli import cli
from grapheme.errors import InvalidInputError
from grapheme.experiments.rule import rule_experiment

from .circuits import plain_life


def one_cell(width):
    row = np.zeros((1, 1, 1, width), bool)
    row[..., width // 2] = True
    return row


def test_rule_30_from_one_cell():
    """The first rows of its famous triangle."""
    target = rule_experiment("30").target
    rows = [one_cell(9)]
    for _ in range(3):
        rows.append(target(rows[-1]))
    assert ["".join(".#"[int(bit)] for bit in row[0, 0, 0]) for row in rows] == [
        "....#....",
        "...###...",
        "..##..#..",
        ".##.####.",
    ]


def test_rule_90_is_the_xor_of_the_neighbours():
    row = np.random.default_rng(0).random((1, 1, 1, 40)) < 0.5
    assert np.array_equal(rule_experiment("90").target(row), np.roll(row, 1, axis=-1) ^ np.roll(row, -1, axis=-1))


@pytest.mark.parametrize("text", ["B3/S23", "b3s32", " B3/S23 "])
def test_life_is_b3_s23(text):
    grid = np.random.default_rng(1).random((12, 15)) < 0.4
    assert rule_experiment(text).name == "rule-B3/S23"
    assert np.array_equal(rule_experiment(text).target(grid[None, None])[0, 0], plain_life(grid))


def test_highlife_has_a_birth_at_six():
    grid = np.zeros((5, 5), bool)
    grid[1:4, 1] = grid[1:4, 3] = True
    assert not rule_experiment("B3/S23").target(grid[None, None])[0, 0, 2, 2]
    assert rule_experiment("B36/S23").target(grid[None, None])[0, 0, 2, 2]


@pytest.mark.parametrize("text", ["", "B", "S23", "256", "-1", "3.5", "B9/S23", "life"])
def test_what_is_no_rule_is_refused(text):
    with pytest.raises(InvalidInputError, match="is not a rule"):
        rule_experiment(text)


def test_a_rule_is_trained_and_found_again_by_its_name(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    result = CliRunner().invoke(cli, ["train", "rule", "--rule", "B36/S23", "--epochs", "2", "--quiet"])
    assert result.exit_code == 0, result.output
    assert experiment("rule-B36/S23").name == "rule-B36/S23"
    assert CliRunner().invoke(cli, ["prove", "runs/rule-B36S23-0"]).exit_code == 1
    assert CliRunner().invoke(cli, ["resume", "runs/rule-B36S23-0", "--quiet"]).exit_code == 0
