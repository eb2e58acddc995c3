"""Whole commands in processes of their own: deaths, Ctrl-C, what is left behind, and clusters."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import threading

import psutil
import pytest

from grapheme.backend.selection import get_backend
from grapheme.errors import BackendUnavailableError
from grapheme.models.checkpoint import load

GONE = 30.0
"""Seconds within which every process has to end that a command started."""
SENTENCE = 20.0
"""Seconds within which an unreachable cluster has to be said to be that."""


def command(*arguments):
    return [sys.executable, "-m", "grapheme", *map(str, arguments)]


def environment(**changes):
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("GRAPHEME_RAY", "RAY_"))}
    return {**clean, **changes}


class Training:
    """``grapheme train`` under way, in a process group of its own as in a terminal."""

    def __init__(self, out, *arguments, **changes):
        fixed = ("train", "checkerboard", "--recipe", "paper", "--every", 1, "--out", out)
        self.process = subprocess.Popen(
            command(*fixed, *arguments), env=environment(**changes), stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            text=True, start_new_session=True,
        )  # fmt: skip
        self.said = []

    def until_step(self, number):
        """Read what it says until it has come so far; return all the processes it has started."""
        for line in self.process.stderr:
            self.said.append(line)
            if f" step {number}/" in line:
                return psutil.Process(self.process.pid).children(recursive=True)
        raise AssertionError("".join(self.said))

    def end(self):
        """Read the rest and return the exit code."""
        self.said += self.process.stderr.readlines()
        return self.process.wait(GONE)


def last(folder):
    """Where a run ended: the facts of its last checkpoint and the bytes of its arrays."""
    saved = load(folder / "last.safetensors")
    return saved.facts, {name: array.tobytes() for name, array in saved.tensors.items()}


@pytest.fixture(scope="module")
def alone(tmp_path_factory):
    """What the inner backend alone comes to after forty steps."""
    folder = tmp_path_factory.mktemp("alone") / "run"
    subprocess.run(
        command("train", "checkerboard", "--recipe", "paper", "--max-steps", 40, "--out", folder, "--quiet"),
        check=True, env=environment(), timeout=120,
    )  # fmt: skip
    return last(folder)


def test_a_worker_killed_in_mid_run_changes_no_number_and_nothing_is_left(tmp_path, alone):
    run = Training(tmp_path / "run", "--max-steps", 40, "--backend", "ray", "--inner", "numba", "--workers", 2)
    family = run.until_step(3)
    workers = [process for process in family if process.name().startswith("ray::Worker")]
    assert len(workers) == 2
    workers[0].kill()
    assert run.end() == 0, run.said
    assert any("died; another takes its place" in line for line in run.said)
    assert "raylet" not in run.process.stdout.read()
    assert last(tmp_path / "run") == alone
    assert psutil.wait_procs(family, GONE)[1] == []


def test_ctrl_c_saves_ends_every_process_and_the_run_can_go_on(tmp_path, alone):
    options = ("--backend", "ray", "--inner", "numba", "--workers", 2)
    run = Training(tmp_path / "run", "--max-steps", 40, *options)
    family = run.until_step(3)
    os.killpg(run.process.pid, signal.SIGINT)  # as a terminal does, to the whole group
    assert run.end() == 130, run.said
    assert psutil.wait_procs(family, GONE)[1] == []
    assert last(tmp_path / "run") != alone
    subprocess.run(command("resume", tmp_path / "run", "--quiet", *options), check=True, env=environment(), timeout=120)
    assert last(tmp_path / "run") == alone


@pytest.fixture
def mute():
    """The address of something that accepts connections and never says a word."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        threading.Thread(target=lambda: [server.accept() for _ in range(50)], daemon=True).start()
        yield f"127.0.0.1:{server.getsockname()[1]}"


@pytest.mark.parametrize(
    ("address", "message"),
    [
        ("127.0.0.1:1", "No cluster answers at 127.0.0.1:1 (Connection refused); start one with: ray start --head"),
        ("no-such-host.invalid:6379", "No cluster answers at no-such-host.invalid:6379"),
        ("somewhere", "'somewhere' is no address of a cluster"),
        ("ray://127.0.0.1:10001", "is no address of a cluster"),
        ("mute", "is no Ray cluster, or too slow"),
    ],
)
def test_a_cluster_that_cannot_be_reached_is_a_sentence(tmp_path, mute, address, message):
    address = mute if address == "mute" else address
    arguments = ("train", "life", "--backend", "ray", "--address", address, "--out", tmp_path / "run")
    done = subprocess.run(command(*arguments), env=environment(), capture_output=True, text=True, timeout=SENTENCE)
    assert done.returncode == 1
    assert message in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1
    assert "pip install" not in done.stderr
    assert not (tmp_path / "run").exists()


def test_a_cluster_is_joined_and_left_as_it_was(tmp_path):
    """The cluster is the Ray of this very process; the command joins it and takes its workers with it."""
    import ray

    workers = get_backend("ray")
    workers.batch.granularity(3, 3)
    address = ray.get_runtime_context().gcs_address
    before = set(psutil.Process().children(recursive=True))
    common = {"RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0", "RAY_AUTH_MODE": "token"}  # for it is on the loopback address
    arguments = ("train", "life", "--max-steps", 2, "--quiet", "--backend")
    for out, rest in (("joined", ("ray", "--address", address, "--workers", 2)), ("alone", ("numba",))):
        subprocess.run(
            command(*arguments, *rest, "--out", tmp_path / out), check=True, env=environment(**common), timeout=120
        )
    assert last(tmp_path / "joined") == last(tmp_path / "alone")
    no_token = environment(**{**common, "RAY_AUTH_MODE": "disabled"})
    asked = command("backends", "--json")
    done = subprocess.run(asked, env={**no_token, "GRAPHEME_RAY_ADDRESS": address}, capture_output=True, timeout=120)
    assert f"The cluster at {address} asks for its token" in done.stdout.decode()
    too_many = command(*arguments, "ray", "--address", address, "--workers", 99, "--out", tmp_path / "many")
    done = subprocess.run(too_many, env=environment(**common), capture_output=True, text=True, timeout=120)
    assert "too few for 99 workers of 1 threads" in done.stderr
    left = [p for p in psutil.Process().children(recursive=True) if p not in before and "Worker" in p.name()]
    assert psutil.wait_procs(left, GONE)[1] == []


def test_an_address_nobody_has_is_an_error_of_the_library_too(monkeypatch):
    monkeypatch.setenv("GRAPHEME_RAY_ADDRESS", "127.0.0.1:1")
    with pytest.raises(BackendUnavailableError, match="The backend 'ray' cannot run here: No cluster answers"):
        get_backend("ray")
