"""Many seeds side by side: the same numbers as alone, a table, and a clean stop."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from dataclasses import replace

import numpy as np
import pytest

from grapheme.backend.selection import get_backend
from grapheme.errors import GraphemeError
from grapheme.training.loop import train
from grapheme.training.population import train_population
from grapheme.training.progress import Progress
from grapheme.training.run import Run, Settings

COMMAND = [sys.executable, "-m", "grapheme", "train", "life", "--backend", "numpy"]


def runs(folder, seeds, steps=6, every=3):
    """New runs of Life."""
    return [Run.create(folder / str(seed), Settings("life", seed, "float64", steps, 0, every)) for seed in seeds]


def test_a_seed_side_by_side_gives_the_numbers_it_gives_alone(tmp_path):
    news = []
    together = runs(tmp_path / "together", (3, 4))
    outcomes = train_population(together, get_backend("numpy"), {}, lambda *one: news.append(one))
    alone = runs(tmp_path / "alone", (3, 4))
    for run, other, outcome in zip(alone, together, outcomes, strict=True):
        expected = train(run, run.experiment(), get_backend("numpy"), lambda row, progress: None)
        assert outcome.progress == expected.progress
        here, there = (one.best()[0].tensors() for one in (run, other))
        for name in here:
            np.testing.assert_array_equal(here[name], there[name])
    assert {(place, progress.step) for place, _, progress in news} == {(0, 3), (0, 6), (1, 3), (1, 6)}


def test_processes_load_the_backend_that_was_chosen_by_name(tmp_path):
    """It is asked for again in each process, so one that is not installed there is said in a sentence."""
    with pytest.raises(GraphemeError, match="There is no backend 'nmpy'"):
        train_population(runs(tmp_path, (0,)), replace(get_backend("numpy"), name="nmpy"), {}, lambda *one: None)


def test_options_of_the_backend_are_handed_to_the_processes(tmp_path):
    with pytest.raises(GraphemeError, match="There is no option 'workers' of the backend 'numpy'"):
        train_population(runs(tmp_path, (0,)), get_backend("numpy"), {"workers": 2}, lambda *one: None)


def test_a_backend_may_have_its_own_way_with_many_runs(tmp_path):
    def population(given, watch):
        watch(0, None, Progress(step=1))
        return [None for _ in given]

    news = []
    own = replace(get_backend("numpy"), population=population)
    assert train_population(runs(tmp_path, (0, 1)), own, {}, lambda *one: news.append(one)) == [None, None]
    assert news == [(0, None, Progress(step=1))]


def test_the_command_prints_a_table_and_json(tmp_path):
    table = subprocess.run(
        [*COMMAND, "--seeds", "2", "--max-steps", "2", "--out", "a"], cwd=tmp_path, capture_output=True, text=True
    )
    lines = table.stdout.splitlines()
    assert lines[0].split("\t") == [
        "seed",
        "solved",
        "wrong bits",
        "penalty",
        "attempts",
        "solved in: at",
        "steps",
        "seconds",
        "of the processor",
        "run",
    ]
    assert [line.split("\t")[::9] for line in lines[1:3]] == [["0", "a/seed-0"], ["1", "a/seed-1"]]
    assert lines[3].startswith("0 of 2 seeds solved")
    listed = subprocess.run(
        [*COMMAND, "--seed", "5", "--seeds", "1", "--max-steps", "1", "--json"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )
    (facts,) = json.loads(listed.stdout)
    assert (facts["seed"], facts["run"], facts["steps"]) == (5, "runs/life-5", 1)
    assert (facts["solved"], facts["solved_at"]) == (False, None)


def test_ctrl_c_leaves_runs_to_go_on_with_and_no_process(tmp_path):
    process, children = _started(tmp_path)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "Traceback" not in err
    assert "grapheme resume b/seed-0" in out
    assert Run.open(tmp_path / "b" / "seed-0").best()[1].step >= 0
    _wait_for_end(children)


def test_the_second_signal_waits_for_no_run(tmp_path):
    process, children = _started(tmp_path)
    process.send_signal(signal.SIGINT)
    process.send_signal(signal.SIGTERM)  # of another kind, since two of one kind may arrive as one
    process.communicate(timeout=30)
    assert process.returncode != 0
    _wait_for_end(children)


def test_runs_end_when_the_process_that_started_them_is_gone(tmp_path):
    process, children = _started(tmp_path)
    process.kill()
    _wait_for_end(children)
    process.communicate(timeout=60)
    assert process.returncode == -signal.SIGKILL


def _started(folder):
    """Return a command that trains two seeds one after the other, once it is under way, and its processes."""
    process = subprocess.Popen(
        [*COMMAND, "--seeds", "2", "--threads", "1", "--every", "1", "--out", "b"],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stderr.readline().startswith("seed 0 attempt 1 step")
    return process, _children(process.pid)


def _children(pid):
    """Return the processes that a process started (Linux)."""
    with open(f"/proc/{pid}/task/{pid}/children") as file:
        return [int(child) for child in file.read().split()]


def _wait_for_end(pids):
    assert pids
    deadline = time.monotonic() + 20
    while any(map(_runs, pids)):
        assert time.monotonic() < deadline, "a process is left over"
        time.sleep(0.05)


def _runs(pid):
    """Say whether a process is there, and not one that ended and that nobody has asked about."""
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False
