"""Many seeds over workers: each run is what it would be alone."""

from __future__ import annotations

import os
import signal

import pytest
from click.testing import CliRunner

import grapheme
from grapheme.cli import cli
from grapheme.models.checkpoint import load
from grapheme.training.loop import train
from grapheme.training.metrics import read
from grapheme.training.run import Run, Settings

NUMBA = grapheme.get_backend("numba", threads=1)


def content(folder):
    """What a run left: facts and bytes of its checkpoints, and its table but for the speed."""
    files = {}
    for name in ("last", "best"):
        saved = load(folder / f"{name}.safetensors")
        files[name] = saved.facts, {key: array.tobytes() for key, array in saved.tensors.items()}
    rows = [(r.attempt, r.step, r.soft_loss, r.hard_loss, r.accuracy) for r in read(folder / "metrics.csv")]
    return files, rows


def create(folder, seed, max_steps=5, restarts=1):
    return Run.create(folder / str(seed), Settings("life", seed, "float32", max_steps, restarts, 2))


def train_here(run, resume=False):
    return train(run, run.experiment(), NUMBA, lambda row, progress: None, resume)


@pytest.fixture
def population():
    return grapheme.get_backend("ray", options={"inner": "numba", "workers": 2}).population


def test_every_run_is_what_it_would_be_alone(tmp_path, population):
    runs, news = [create(tmp_path / "together", seed) for seed in range(3)], []
    outcomes = population(runs, lambda place, row, progress: news.append((place, progress.attempt, progress.step)))
    for seed, (run, outcome) in enumerate(zip(runs, outcomes, strict=True)):
        alone = create(tmp_path / "alone", seed)
        expected = train_here(alone)
        assert (outcome.progress, outcome.steps_run, outcome.interrupted) == (expected.progress, 10, False)
        assert content(run.folder) == content(alone.folder)
        assert [where[1:] for where in news if where[0] == seed] == [(0, 2), (0, 4), (1, 2), (1, 4), (1, 5)]


def test_ctrl_c_leaves_runs_that_can_go_on(tmp_path, population):
    runs = [create(tmp_path / "together", seed) for seed in range(4)]
    presses = iter([signal.SIGINT])
    outcomes = population(runs, lambda *news: os.kill(os.getpid(), next(presses, 0)))
    assert [outcome is None for outcome in outcomes] == [False, False, True, True]
    assert [outcome.interrupted for outcome in outcomes[:2]] == [True, True]
    for seed in range(2):
        train_here(runs[seed], resume=True)
        alone = create(tmp_path / "alone", seed)
        train_here(alone)
        assert content(runs[seed].folder) == content(alone.folder)


def test_the_command(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    options = ("--backend", "ray", "--inner", "numba", "--workers", "2")
    result = CliRunner().invoke(cli, ["train", "life", "--seeds", "3", "--max-steps", "2", "--out", "all", *options])
    assert result.exit_code == 0, result.output
    assert "0 of 3 seeds solved" in result.stdout
    assert [(tmp_path / "all" / f"seed-{seed}" / "best.safetensors").exists() for seed in range(3)] == [True] * 3
