"""The contract of kernels as the type checker sees it: what a backend forgets or mixes up is an error of mypy."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from grapheme.kernels import GROUPS, kernel_names

ROOT = Path(__file__).parent.parent
NUMPY = ROOT / "backends" / "grapheme_numpy"

pytest.importorskip("mypy", reason="mypy is not installed; it comes with the extra 'dev'")
if not NUMPY.exists():
    pytest.skip("the sources are not beside these tests", allow_module_level=True)


def checked(folder):
    """What mypy says of a copy of the oracle; it sees the project by its sources."""
    command = [sys.executable, "-m", "mypy", "--config-file", str(ROOT / "pyproject.toml"), "-p", "grapheme_numpy"]
    environment = {"MYPYPATH": f"{folder}:{ROOT}", "PATH": "", "MYPY_CACHE_DIR": str(folder / "cache")}
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=600)


@pytest.fixture
def copy(tmp_path):
    """A copy of a shipped backend, outside the repository."""
    shutil.copytree(NUMPY, tmp_path / "grapheme_numpy", ignore=shutil.ignore_patterns("__pycache__"))
    return tmp_path


def changed(folder, file, before, after):
    path = folder / "grapheme_numpy" / file
    text = path.read_text()
    assert before in text
    path.write_text(text.replace(before, after, 1))


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("def granularity(height: int, width: int) -> int:", "def granularity(height: int) -> int:"),
        ("def granularity(height: int, width: int) -> int:", "def granularity(width: int, height: int) -> int:"),
        ("def granularity(height: int, width: int) -> int:", "def granularity(height: int, width: int) -> str:"),
    ],
    ids=["an argument missing", "arguments out of order", "another result"],
)
def test_a_kernel_that_breaks_the_contract_is_an_error_of_the_type_checker(copy, before, after):
    changed(copy, "batch.py", before, after)
    done = checked(copy)
    assert done.returncode == 1
    assert 'Argument "batch" to "Backend" has incompatible type Module; expected "BatchKernels"' in done.stdout


def test_a_kernel_that_is_missing_is_an_error_of_the_type_checker(copy):
    changed(copy, "cell.py", "def hard_step(", "def another_step(")
    done = checked(copy)
    assert done.returncode == 1
    assert re.search(r'expected "CellKernels"', done.stdout)


def test_the_backend_as_it_ships_follows_the_contract(copy):
    done = checked(copy)
    assert done.returncode == 0, done.stdout


def test_no_kernel_is_looked_up_by_a_string():
    names = "|".join(name for protocol in GROUPS.values() for name in kernel_names(protocol))
    groups = "|".join(GROUPS)
    by_string = re.compile(
        rf"""kernel\(["']({groups})\.|["']({groups})\.({names})["']|getattr\([^)]*["']({names})["']"""
    )
    sources = [path for part in ("grapheme", "backends", "plugins") for path in (ROOT / part).rglob("*.py")]
    found = [
        f"{path.relative_to(ROOT)}: {line.strip()}"
        for path in sources
        if "tests" not in path.parts
        for line in path.read_text().splitlines()
        if by_string.search(line) and not line.strip().startswith("'")  # what a doctest prints
    ]
    assert len(sources) > 300
    assert found == []
