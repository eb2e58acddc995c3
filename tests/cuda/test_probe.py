"""Why the backend cannot run here, in a sentence, whatever is missing."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from types import SimpleNamespace

import pytest
from grapheme_cupy import availability

import grapheme
from grapheme.errors import BackendUnavailableError


@pytest.fixture(autouse=True)
def fresh():
    availability.probe.cache_clear()
    yield
    availability.probe.cache_clear()


def without(monkeypatch, package):
    find = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name == package else find(name))


def children(monkeypatch, answer):
    """Let every child process end with ``answer`` instead."""

    def run(*args, **kwargs):
        if isinstance(answer, Exception):
            raise answer
        return answer

    monkeypatch.setattr(subprocess, "run", run)


def test_without_cupy_no_child_process_is_started(monkeypatch):
    without(monkeypatch, "cupy")
    children(monkeypatch, AssertionError("a child process was started"))
    assert availability.probe() == "CuPy is not installed."
    with pytest.raises(BackendUnavailableError, match=r"not installed.*\[cuda12\].*CUDA 12.*\[cuda13\].*CUDA 13"):
        grapheme.get_backend("cupy")


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (subprocess.TimeoutExpired("python", 60), "did not answer within 60 seconds"),
        (SimpleNamespace(returncode=-11, stdout="", stderr=""), r"CuPy fails here \(exit code -11\)"),
        (SimpleNamespace(returncode=1, stdout="", stderr="Traceback\nOSError: libcuda"), r"\(OSError: libcuda\)"),
        (SimpleNamespace(returncode=0, stdout="There is no driver.\n", stderr=""), "There is no driver."),
    ],
    ids=["hangs", "crashes", "raises", "answers"],
)
def test_what_the_child_does_becomes_a_sentence(stand_in, monkeypatch, answer, reason):
    children(monkeypatch, answer)
    with pytest.raises(BackendUnavailableError, match=reason):
        grapheme.get_backend("cupy")


def say(monkeypatch, capsys, **runtime):
    """What the child prints where CUDA's runtime answers so."""
    import cupy

    for name, value in runtime.items():
        monkeypatch.setattr(cupy.cuda.runtime, name, value)
    availability.answer()
    return capsys.readouterr().out.strip()


def fails(message):
    def call(*args):
        raise RuntimeError(message)

    return call


@pytest.mark.parametrize(
    ("count", "sentence"),
    [
        (lambda: 1, ""),
        (lambda: 0, "no NVIDIA card"),
        (fails("cudaErrorNoDevice: no CUDA-capable device is detected"), "no NVIDIA card"),
        (fails("cudaErrorInsufficientDriver: CUDA driver version is insufficient"), "no NVIDIA driver, or one too old"),
        (fails("cudaErrorUnknown: oh dear"), r"CUDA does not start (cudaErrorUnknown: oh dear)"),
    ],
)
def test_drivers_and_devices(stand_in, monkeypatch, capsys, count, sentence):
    said = say(monkeypatch, capsys, getDeviceCount=count)
    assert sentence in said
    assert bool(said) == bool(sentence)


def test_a_card_that_is_too_old(stand_in, monkeypatch, capsys):
    import cupy

    monkeypatch.setattr(cupy.cuda.Device, "compute_capability", "61")
    assert "compute capability 6.1; the kernels need 7.5" in say(monkeypatch, capsys)


def test_a_compiler_that_is_missing(stand_in, monkeypatch, capsys):
    import cupy

    monkeypatch.setattr(cupy, "arange", fails("libnvrtc.so.12 not found"))
    assert "cannot compile for this card (libnvrtc.so.12 not found)" in say(monkeypatch, capsys)


def test_the_stand_in_runs_here(stand_in):
    assert availability.probe() is None
    backend = grapheme.get_backend("cupy")
    assert backend.device == "C++ compiler (cuda:0)"
    assert backend.parallelism.memory == 2**29  # half of what the device has free
    assert grapheme.get_backend("cupy", parallelism=grapheme.Parallelism(memory=7)).parallelism.memory == 7


def test_listing_backends_imports_no_cupy():
    code = "import grapheme, sys; grapheme.list_backends(); print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], text=True, capture_output=True, check=True)
    assert "grapheme_cupy" in done.stdout.split()
    assert "cupy" not in done.stdout.split()
