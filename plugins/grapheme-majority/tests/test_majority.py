from __future__ import annotations

import json
import re
import signal

import numpy as np
import pytest
from click.testing import CliRunner
from grapheme_majority.experiment import majority, vote
from scipy import ndimage

import grapheme
from grapheme.cli import cli
from grapheme.errors import InvalidInputError
from grapheme.models import checkpoint
from grapheme.plugins.discovery import plugins
from grapheme.training.experiment import experiment
from grapheme.training.loop import train
from grapheme.training.run import Run, Settings

STEPS = 40


@pytest.fixture(scope="module", autouse=True)
def _commands_of_plugins():
    plugins().call("grapheme_commands", cli=cli)


def invoke(*arguments):
    return CliRunner().invoke(cli, [str(argument) for argument in arguments])


def test_a_vote_by_hand():
    board = np.zeros((5, 5), bool)
    board[1:4, 1:3] = True  # six cells: the inner two of each row see six or four others
    later = vote(board, 5)
    assert later[2].tolist() == [False, True, True, False, False]
    assert later[1].tolist() == [False, False, False, False, False]


@pytest.mark.parametrize("neighbours", range(1, 10))
def test_a_vote_is_a_rank_filter(neighbours):
    """Of nine sorted bits the (9 - n)-th, counted from 0, is 1 where n or more are."""
    board = np.random.default_rng(neighbours).random((12, 17)) < neighbours / 10
    wanted = ndimage.rank_filter(board.astype(np.uint8), 9 - neighbours, size=3, mode="wrap")
    np.testing.assert_array_equal(vote(board, neighbours), wanted.astype(bool))


@pytest.mark.parametrize("neighbours", [4, 5])
def test_a_learnt_vote_ends_with_period_one_or_two(tmp_path, neighbours):
    """Symmetric votes have period at most two, whatever their threshold (Goles and Olivos, 1981)."""
    folder = tmp_path / "run"
    result = invoke("train", "majority", "--neighbours", neighbours, "--out", folder, "--quiet")
    assert result.exit_code == 0, result.output
    board = np.random.default_rng(1).random((1, 1, 20, 20)) < 0.5
    np.testing.assert_array_equal(grapheme.ca.load(folder).rollout(board, 1, hard=True), vote(board, neighbours))
    assert invoke("evaluate", folder).exit_code == 0
    for seed in range(3):
        shown = invoke("settle", folder, "--seed", seed).output
        assert re.match(r"settled after \d+ steps, period [12]\n", shown), shown


def test_the_help_shows_the_option_and_its_default():
    result = invoke("train", "majority", "--help")
    assert result.exit_code == 0
    words = " ".join(result.output.split())  # the width of the terminal decides where lines end
    assert re.search(r"--neighbours INTEGER RANGE How many [^\[]*\[default: \(?5\)?; 1<=x<=9\]", words)
    assert "grapheme train majority --neighbours 3" in result.output


@pytest.mark.parametrize("neighbours", [0, 10])
def test_a_threshold_out_of_range_is_refused(tmp_path, neighbours):
    result = invoke("train", "majority", "--neighbours", neighbours, "--out", tmp_path / "run")
    assert result.exit_code == 2
    assert "1<=x<=9" in result.output
    assert not (tmp_path / "run").exists()
    with pytest.raises(InvalidInputError, match=f"--neighbours is from 1 to 9; got {neighbours}."):
        experiment("majority", {"neighbours": neighbours})


def test_an_option_belongs_to_its_own_experiment(tmp_path):
    for name, option in (("life", "--neighbours"), ("majority", "--size")):
        result = invoke("train", name, option, 8, "--out", tmp_path / "run")
        assert result.exit_code == 2
        assert f"No such option: {option}" in result.output or f"No such option '{option}'" in result.output
    with pytest.raises(InvalidInputError, match="no option 'neighbours' of the experiment 'life'"):
        experiment("life", {"neighbours": 8})


def test_a_run_keeps_its_option(tmp_path):
    folder = tmp_path / "run"
    assert invoke("train", "majority", "--neighbours", 3, "--max-steps", 2, "--out", folder).exit_code == 0
    assert json.loads((folder / "run.json").read_text())["options"] == {"neighbours": 3}
    board = np.random.default_rng(2).random((2, 1, 6, 6)) < 0.5
    np.testing.assert_array_equal(Run.open(folder).experiment().target(board), vote(board, 3))
    assert re.search(r"^neighbours +3$", invoke("info", folder).output, re.MULTILINE)
    assert "neighbours=3" in invoke("runs", folder).output


def test_a_run_that_was_stopped_ends_with_the_same_bits(tmp_path):
    whole, stopped = (trained(tmp_path / name, stop) for name, stop in (("whole", None), ("stopped", STEPS // 2)))
    assert not np.array_equal(logits(whole), logits(stopped))
    assert invoke("resume", stopped, "--quiet").exit_code == 0
    np.testing.assert_array_equal(logits(stopped), logits(whole))


def trained(folder, stop):
    """A run with a threshold that is not the default, stopped by Ctrl-C after a step."""
    settings = Settings("majority", 0, "float32", STEPS, 0, 7, {"neighbours": 4})
    run = Run.create(folder, settings)
    task = run.experiment()
    assert task.target.keywords == majority(4).target.keywords

    def on_step(row, progress):
        if progress.step == stop:
            signal.raise_signal(signal.SIGINT)

    train(run, task, grapheme.get_backend(), on_step)
    return folder


def logits(folder):
    """Everything that is learnt, as the last checkpoint has it."""
    tensors = checkpoint.load(folder / "last.safetensors").tensors
    return np.concatenate([tensors[name].ravel().astype(float) for name in sorted(tensors)])
