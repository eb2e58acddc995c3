"""Runs as a user starts, stops, kills and continues them."""

from __future__ import annotations

import csv
import json
import os
import random
import signal
import subprocess
import sys
import time

import numpy as np
import pytest
from click.testing import CliRunner
from grapheme.experiments.registry import experiment

import grapheme
from grapheme.ca import DiffLogicCA
from grapheme.cli import cli
from grapheme.errors import RunError
from grapheme.models import checkpoint
from grapheme.training.loop import train_task
from grapheme.training.metrics import MetricsFile, Row
from grapheme.training.run import Progress, Run, Settings

COMMAND = [sys.executable, "-m", "grapheme"]


def run(*arguments, check=True):
    done = subprocess.run([*COMMAND, *map(str, arguments)], capture_output=True, text=True, timeout=300)
    assert not check or done.returncode == 0, done.stderr
    return done


def losses(folder):
    """Everything in the table but the time."""
    with open(folder / "metrics.csv") as file:
        return [{k: v for k, v in row.items() if k != "epochs_per_second"} for row in csv.DictReader(file)]


def same_model(a, b):
    return all(np.array_equal(x, y) for x, y in zip(a.tensors().values(), b.tensors().values(), strict=True))


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """A run of 60 epochs that was never stopped."""
    folder = tmp_path_factory.mktemp("runs") / "whole"
    run("train", "life", "--epochs", 60, "--every", 7, "--threads", 1, "--out", folder, "--quiet")
    return folder


def start(folder, epochs=60):
    return subprocess.Popen(
        [*COMMAND, "train", "life", "--epochs", str(epochs), "--every", "7", "--threads", "1", "--out", str(folder)],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip


def wait_for_rows(folder, rows, process):
    """Wait until the table has so many epochs."""
    path = folder / "metrics.csv"
    until = time.monotonic() + 120
    while time.monotonic() < until and process.poll() is None:
        if path.exists() and path.read_text().count("\n") > rows:
            return
    assert process.poll() is None, process.stderr.read()


def test_the_table_has_an_epoch_a_row(whole):
    rows = losses(whole)
    assert [int(row["epoch"]) for row in rows] == list(range(60))
    assert list(rows[0]) == ["attempt", "epoch", "soft_loss", "hard_loss", "soft_mean", "accuracy"]
    first = rows[0]
    assert float(first["soft_mean"]) == pytest.approx(float(first["soft_loss"]) / 180)  # 20 boards of 9 cells
    assert float(first["accuracy"]) == pytest.approx(1 - float(first["hard_loss"]) / 180)


def test_ctrl_c_saves_and_resume_ends_at_the_same_numbers(whole, tmp_path):
    folder = tmp_path / "stopped"
    process = start(folder)
    wait_for_rows(folder, 11, process)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130, err
    assert f"grapheme resume {folder}" in out
    assert "Traceback" not in err
    assert 11 <= len(losses(folder)) < 60
    run("resume", folder, "--threads", 1, "--quiet")
    assert losses(folder) == losses(whole)
    assert same_model(grapheme.load(folder), grapheme.load(whole))


@pytest.mark.parametrize("attempt", range(3))
def test_a_run_killed_at_any_moment_can_be_resumed(whole, tmp_path, attempt):
    folder = tmp_path / "killed"
    process = start(folder)
    wait_for_rows(folder, random.Random(attempt).randrange(1, 50), process)
    process.kill()
    process.wait()
    run("resume", folder, "--threads", 1, "--quiet")
    assert losses(folder) == losses(whole)
    assert same_model(grapheme.load(folder), grapheme.load(whole))


def test_a_kill_in_the_first_epoch_leaves_a_run_to_resume(tmp_path):
    folder = tmp_path / "early"
    process = start(folder, epochs=3)
    until = time.monotonic() + 120
    while not (folder / "metrics.csv").exists() and time.monotonic() < until:
        time.sleep(0.001)
    process.kill()
    process.wait()
    done = run("resume", folder, "--quiet", check=False)
    assert done.returncode == 0 or "no checkpoint" in done.stderr


def test_the_backend_may_change_when_a_run_is_resumed(tmp_path):
    folder = tmp_path / "moved"
    process = start(folder, epochs=12)
    wait_for_rows(folder, 2, process)
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=60)
    run("resume", folder, "--backend", "numpy", "--quiet")
    assert len(losses(folder)) == 12


def test_a_finished_run_resumes_to_nothing(whole):
    before = losses(whole)
    outcome = json.loads(run("resume", whole, "--json").stdout)
    assert (outcome["epochs_run"], outcome["epoch"]) == (0, 60)
    assert losses(whole) == before


def test_restarts_use_fresh_wires(tmp_path):
    folder = tmp_path / "again"
    outcome = json.loads(
        run("train", "life", "--epochs", 2, "--restarts", 1, "--threads", 1, "--out", folder, "--json").stdout
    )
    assert (outcome["attempt"], outcome["epoch"], outcome["epochs_run"]) == (1, 2, 4)
    rows = losses(folder)
    assert [(row["attempt"], row["epoch"]) for row in rows] == [("0", "0"), ("0", "1"), ("1", "0"), ("1", "1")]
    tensors, _ = checkpoint.load(folder / "last.safetensors")
    first = run("train", "life", "--epochs", 1, "--threads", 1, "--out", tmp_path / "first", "--quiet")
    assert first.returncode == 0
    others, _ = checkpoint.load(tmp_path / "first" / "last.safetensors")
    assert tensors["update.0.a"].tolist() != others["update.0.a"].tolist()


def test_a_second_attempt_that_was_killed_goes_on_to_the_same_numbers(tmp_path):
    """Which gates are rounded in a step depends on the attempt too."""

    class Killed(Exception):  # noqa: N818
        pass

    def kill(row, progress):
        if (progress.attempt, progress.epoch) == (1, 8):
            raise Killed

    task = experiment("life").with_recipe("reliable").with_epochs(12)
    settings = Settings("life", 0, "float32", 12, 1, 5, "reliable")
    backend = grapheme.get_backend("numba", threads=1)
    whole, killed = (Run.create(tmp_path / name, settings) for name in ("whole", "killed"))
    train_task(whole, task, backend, lambda row, progress: None)
    with pytest.raises(Killed):
        train_task(killed, task, backend, kill)
    train_task(killed, task, backend, lambda row, progress: None, resume=True)
    assert losses(killed.folder) == losses(whole.folder)
    assert len(losses(whole.folder)) == 24


def test_a_truncated_checkpoint_is_refused_in_a_sentence(whole, tmp_path):
    content = (whole / "last.safetensors").read_bytes()
    path = tmp_path / "cut.safetensors"
    for length in (0, 7, 100, len(content) - 1):
        path.write_bytes(content[:length])
        with pytest.raises(RunError, match="damaged or not a checkpoint"):
            checkpoint.load(path)


def test_a_foreign_checkpoint_is_refused_in_a_sentence(tmp_path):
    import safetensors.numpy

    path = tmp_path / "foreign.safetensors"
    safetensors.numpy.save_file({"weights": np.zeros(3)}, path)
    with pytest.raises(RunError, match="was not written by grapheme"):
        checkpoint.load(path)


def test_a_checkpoint_of_something_else_is_refused_by_resume(whole, tmp_path):
    folder = tmp_path / "mixed"
    folder.mkdir()
    (folder / "run.json").write_bytes((whole / "run.json").read_bytes())
    checkpoint.save(folder / "last.safetensors", {"shape": np.zeros(3, np.int64)}, {})
    done = run("resume", folder, check=False)
    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    assert "does not hold a model of this run" in done.stderr.splitlines()[-1]


def test_nothing_half_written_stays_when_the_disk_is_full(tmp_path, monkeypatch):
    path = tmp_path / "file"
    path.write_bytes(b"old")
    from grapheme import files

    def full(_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(RunError, match="No space left"):
        files.write_whole(path, b"new")
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize(
    ("progress", "made"),
    [
        (Progress(attempt=1, epoch=6, least_errors=0), "0 wrong bits, at epoch 7 of attempt 2"),
        (Progress(epoch=7, least_errors=0, polishings=3), "0 wrong bits, after polishing (times: 3) of attempt 1"),
    ],
)
def test_info_says_what_made_the_best_checkpoint(tmp_path, progress, made):
    run = Run.create(tmp_path / "run", Settings("life", 0, "float32", 9, 1, 1))
    run.save_best(DiffLogicCA.build(1, 1, [8, 4, 2, 1], [2, 1], seed=0), progress)
    with MetricsFile(run.metrics) as metrics:
        metrics.add(Row(1.0, 2.0, 0.5, 0.25, 0, 0, 10.0))
    shown = CliRunner().invoke(cli, ["info", str(run.folder)])
    assert made in shown.output
    assert shown.exit_code == 0
