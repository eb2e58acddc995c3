from __future__ import annotations

import subprocess
import sys

import pytest

HEAVY = ["numba", "llvmlite", "cupy", "jax", "ray", "matplotlib", "scipy", "rich", "PIL"]


def modules_after(code):
    done = subprocess.run(
        [sys.executable, "-c", f"{code}\nimport sys; print(*sys.modules)"],
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    return set(done.stdout.split())


@pytest.mark.parametrize(
    "code", ["import grapheme", "import grapheme.cli", "import grapheme; grapheme.list_backends(); grapheme.ca"]
)
def test_nothing_heavy_is_imported_before_it_is_needed(code):
    assert modules_after(code).isdisjoint(HEAVY)


def test_help_does_not_import_numba():
    code = "import sys; sys.argv = ['grapheme', '--help']\nfrom grapheme.cli import main\n"
    code += "try: main()\nexcept SystemExit: pass"
    assert modules_after(code).isdisjoint(HEAVY)


def test_help_of_one_experiment_loads_no_engine_and_no_other_family():
    code = "import sys; sys.argv = ['grapheme', 'train', 'life', '--help']\nfrom grapheme.cli import main\n"
    code += "try: main()\nexcept SystemExit: pass"
    loaded = modules_after(code)
    assert "grapheme.cli.train" in loaded, "the command itself ran"
    assert loaded.isdisjoint(HEAVY)
    others = ("grapheme.transform", "grapheme.cortex", "grapheme.graph", "grapheme.datasets", "grapheme.domains")
    assert [name for name in sorted(loaded) if name.startswith(others)] == []


def test_the_public_names_are_there():
    import grapheme

    for name in grapheme.__all__:
        assert getattr(grapheme, name) is not None
