"""The layers of the package: the contracts of pyproject.toml hold, and an import that looks up breaks them."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent

pytest.importorskip("importlinter", reason="import-linter is not installed; it comes with the extra 'dev'")
if not (ROOT / "backends").exists():
    pytest.skip("the sources are not beside these tests", allow_module_level=True)


def linted(folder):
    """What import-linter says of the packages in a folder."""
    code = "import sys; from importlinter.cli import lint_imports_command; lint_imports_command()"
    environment = {"PYTHONPATH": f"{folder}:{folder / 'backends'}", "PATH": "", "COLUMNS": "200"}
    command = [sys.executable, "-c", code, "--config", "pyproject.toml", "--no-cache"]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=120)


@pytest.fixture
def copy(tmp_path):
    """A copy of the sources that may be spoilt."""
    for part in ("grapheme", "backends"):
        shutil.copytree(ROOT / part, tmp_path / part, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    return tmp_path


def test_the_layers_hold(copy):
    done = linted(copy)
    assert done.returncode == 0, done.stdout
    assert "4 kept, 0 broken" in done.stdout


@pytest.mark.parametrize(
    ("file", "planted", "broken"),
    [
        ("grapheme/kernels/gates.py", "from grapheme.backend import Backend", "Layers only look down"),
        (
            "grapheme/training/run.py",
            "def late():\n    import grapheme.cli",
            "Layers only look down",
        ),
        ("grapheme/ca/model.py", "import grapheme.transform", "Layers only look down"),
        ("backends/grapheme_numba/cell.py", "import grapheme.ca", "Backends know the contract"),
        ("backends/grapheme_numba/cell.py", "import grapheme_numpy.cell", "Backends do not know each other"),
        ("grapheme/backend/selection.py", "import grapheme_numba", "The core finds backends by their hook"),
    ],
)
def test_an_import_that_looks_up_or_aside_is_found(copy, file, planted, broken):
    path = copy / file
    path.write_text(f"{path.read_text()}\n{planted}\n")
    done = linted(copy)
    assert done.returncode == 1
    report = done.stdout.partition("Broken contracts")[2]
    assert broken in report, done.stdout


def test_a_new_package_says_where_it_stands(copy):
    (copy / "grapheme" / "newcomer").mkdir()
    (copy / "grapheme" / "newcomer" / "__init__.py").write_text("")
    done = linted(copy)
    assert done.returncode == 1
    assert "newcomer" in done.stdout
