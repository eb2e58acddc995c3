"""Puts the stand-in for CuPy in place for the tests of a module, and takes it away again."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

import pytest
from grapheme_cupy import availability

STAND_IN = Path(__file__).parent / "stand_in"
REPORT: list[str] = []
"""Lines that tests leave for the end of the run."""


def forget_cupy():
    """Unload CuPy and all that holds on to it, so that what is imported next finds another one."""
    availability.probe.cache_clear()
    holders = ("cupy", "array_api_compat.cupy", "grapheme_cupy.")
    for name in [name for name in sys.modules if name.startswith(holders) and name != "grapheme_cupy.availability"]:
        del sys.modules[name]
        package, _, attribute = name.rpartition(".")
        if package in sys.modules:
            vars(sys.modules[package]).pop(attribute, None)


@pytest.fixture(scope="module")
def stand_in():
    """CuPy on the CPU, in this process and in its children."""
    if shutil.which("g++") is None or sys.platform != "linux":
        pytest.skip("CUDA on the CPU needs Linux and g++, which is not installed")
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(STAND_IN)
        patch.setenv("PYTHONPATH", str(STAND_IN), prepend=os.pathsep)
        forget_cupy()
        yield
    forget_cupy()


@pytest.fixture
def settings(stand_in, monkeypatch):
    """Sets how kernels are run for one test: settings(order="reversed", mode="races")."""
    from cupy import _settings

    def choose(**values):
        for name, value in values.items():
            monkeypatch.setattr(_settings, name, value)

    return choose


def pytest_terminal_summary(terminalreporter):
    if REPORT:
        terminalreporter.section("CUDA kernels")
        for line in REPORT:
            terminalreporter.line(line)
