"""Evaluation beyond the training: of automata whose scores are known without running them."""

from __future__ import annotations

import dataclasses
import json

import numpy as np
import pytest
from click.testing import CliRunner
from PIL import Image

import grapheme
from grapheme.cli import cli
from grapheme.experiments import evaluate
from grapheme.experiments.checkerboard import CHECKERBOARD
from grapheme.experiments.evaluate import CircuitTests
from grapheme.experiments.life import LIFE

from .circuits import CENTRE, NOT_A, PASS_A, border_checkerboard, circuit, hand_made_life, plain_checkerboard


@pytest.fixture
def short(monkeypatch):
    monkeypatch.setattr(evaluate, "ROBUST_STEPS", 60)
    monkeypatch.setattr(evaluate, "ROBUST_FROM", 20)
    monkeypatch.setattr(evaluate, "SIDES", (64,))


def scores(exported, task, **changes):
    task = dataclasses.replace(task, **changes)
    measures = list(CircuitTests(exported, task, grapheme.get_backend("auto")).measures())
    return {(m.test, m.side, m.steps): m for m in measures}


def test_the_settings_are_the_published_ones():
    assert [CHECKERBOARD.steps * side // 16 for side in (16, *evaluate.SIDES)] == [20, 80, 160, 320]
    assert (evaluate.ZONE.start, evaluate.ZONE.stop - 1) == (22, 41)
    assert (evaluate.ASYNC_STEPS, evaluate.FIRE_PROBABILITY) == (256, 0.6)
    assert (evaluate.ROBUST_STEPS, evaluate.ROBUST_FROM, evaluate.ROBUST_SQUARE) == (4000, 1000, 10)


def test_a_checkerboard_that_grows_from_two_borders(short):
    """Rows are told from above and columns from the left, so a dead zone shades what lies below and right of it."""
    found = scores(border_checkerboard().simplify([0]), CHECKERBOARD, channels=6, steps=24)
    assert found["generalisation", 16, 24].score == 1
    assert found["generalisation", 64, 96].score == 1
    assert found["self-healing", 64, 96].wrong == 0
    assert found["asynchronous", 64, 256].score == 1
    assert [found["stability", 16, steps].wrong for steps in (24, 48, 240)] == [0, 0, 0]
    assert found["attractor", 16, 1000].note == "period 1"
    fault = found["fault tolerance", 64, 96]
    assert 0.5 < fault.score < 1
    outside = np.ones((64, 64), bool)
    outside[22:42, 22:42] = False
    assert not fault.mistakes[~outside].any()
    assert not fault.picture[~outside].any()
    assert fault.mistakes.sum() == np.count_nonzero((fault.picture != plain_checkerboard(64, 64)) & outside) or (
        fault.mistakes.sum() == np.count_nonzero((fault.picture == plain_checkerboard(64, 64)) & outside)
    )


def test_a_circuit_that_does_nothing_is_right_half_the_time(short):
    found = scores(circuit(1, "zero", [(PASS_A, CENTRE, CENTRE)], [9]), CHECKERBOARD, channels=1)
    assert found["generalisation", 64, 80].score == pytest.approx(0.5, abs=0.05)
    assert found["generalisation", 64, 80].wrong == pytest.approx(2048, abs=200)


def test_a_circuit_that_blinks_has_period_two(short):
    found = scores(circuit(1, "zero", [(NOT_A, CENTRE, CENTRE)], [9]), CHECKERBOARD, channels=1)
    assert found["attractor", 16, 1000].note == "period 2"


def test_life_is_followed_step_by_step(short):
    found = scores(hand_made_life(), LIFE)
    assert {m.test for m in found.values()} == {"generalisation", "stability", "attractor"}
    assert all(m.wrong == 0 for m in found.values() if m.test != "attractor")
    wrong = scores(circuit(1, "periodic", [(NOT_A, CENTRE, CENTRE)], [9]), LIFE)
    assert wrong["generalisation", 64, 100].score < 0.95


def test_a_picture_of_one_size_is_tested_at_that_size(short):
    """It starts from zeros, so there is one start, no phase and no larger grid; ones everywhere are reached at once."""
    found = scores(
        circuit(1, "zero", [(15, 0, 0)], [9]),
        CHECKERBOARD,
        channels=1,
        start=lambda rng, samples, channels, height, width: np.zeros((samples, channels, height, width), bool),
        target=lambda grids: np.ones((len(grids), 1, 16, 16), bool),
    )
    assert {(m.test, m.side) for m in found.values()} == {("generalisation", 16), ("stability", 16), ("attractor", 16)}
    assert found["generalisation", 16, 20].score == 1
    upside_down = scores(
        circuit(1, "zero", [(0, 0, 0)], [9]),
        CHECKERBOARD,
        channels=1,
        start=lambda rng, samples, channels, height, width: np.zeros((samples, channels, height, width), bool),
        target=lambda grids: np.ones((len(grids), 1, 16, 16), bool),
    )
    assert upside_down["generalisation", 16, 20].score == 0


@pytest.fixture
def exported(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    hand_made_life().simplify().export("life.json", name="life")
    circuit(8, "zero", [(NOT_A, 8 * CENTRE, 0)], [72] * 8).export("blinker.json", name="checkerboard")
    return lambda *arguments: CliRunner().invoke(cli, [str(argument) for argument in arguments])


def test_evaluate_prints_a_table_or_json_and_draws(exported, short, tmp_path):
    result = exported("evaluate", "life.json", "--png", "life.png")
    assert result.exit_code == 0, result.output
    lines = result.stdout.splitlines()
    assert lines[0] == "test\tside\tsteps\tscore\twrong\tnote"
    assert "generalisation\t64\t100\t1.0000\t0.0000\t" in lines
    assert Image.open(tmp_path / "life.png").width == 1320
    table = json.loads(exported("evaluate", "life.json", "--json").stdout)
    assert table["experiment"] == "life"
    assert table["tests"][0]["score"] == 1.0


def test_prove_says_proved_or_shows_a_start(exported):
    proved = exported("prove", "life.json")
    assert proved.exit_code == 0, proved.output
    assert "Proved by all 512 neighbourhoods" in proved.stdout
    refuted = exported("prove", "blinker.json", "--steps", 5, "--grid", "6x7")
    assert refuted.exit_code == 1
    assert refuted.stdout.splitlines()[1] == "channel 0"
    assert len(refuted.stdout.splitlines()) == 1 + 8 * 7
    start = json.loads(exported("prove", "blinker.json", "--json").stdout)["start"]
    assert np.array(start).shape == (8, 16, 16)


def test_an_exported_circuit_runs_and_is_exported_again(exported, tmp_path):
    assert len(exported("run", "life.json", "--grid", "3x5", "--steps", 1).stdout.splitlines()) == 3
    for suffix in ("json", "v", "c", "dot", "html"):
        result = exported("export", "life.json", "--out", f"again.{suffix}")
        assert result.exit_code == 0, result.output
        assert "gates, 1 of 1 channels" in result.stdout
        assert (tmp_path / f"again.{suffix}").stat().st_size > 100


@pytest.mark.parametrize(
    ("change", "message"),
    [({"version": 9}, "version 9"), ({"gates": [[6, 9, 0]]}, "without a cycle"), ({"gates": [[6, 99, 0]]}, "node 99")],
)
@pytest.mark.parametrize("command", ["run", "evaluate", "prove", "export"])
def test_a_bad_circuit_file_gets_one_sentence_and_writes_nothing(exported, tmp_path, command, change, message):
    content = json.loads((tmp_path / "life.json").read_text()) | {"outputs": [9]} | change
    (tmp_path / "bad.json").write_text(json.dumps(content))
    before = set(tmp_path.iterdir())
    result = exported(command, "bad.json", *(["--out", "a.c"] if command == "export" else []))
    assert result.exit_code == 1
    assert message in result.stderr
    assert len(result.stderr.strip().splitlines()) == 1
    assert set(tmp_path.iterdir()) == before


def test_an_experiment_nobody_knows_is_refused(exported):
    assert "no experiment 'lief'" in exported("evaluate", "life.json", "--experiment", "lief").stderr
