"""Plugins installed as a stranger's would be: distributions with entry points, found in a folder on the path."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import textwrap

import pytest


def install(folder, name, code, distribution=None):
    """Lay out an installed distribution with one entry point ``name`` in the group ``grapheme``."""
    distribution = distribution or f"dist-{name}"
    module = f"plugin_{distribution.replace('-', '_')}"
    (folder / f"{module}.py").write_text(textwrap.dedent(code))
    info = folder / f"{distribution.replace('-', '_')}-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {distribution}\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(f"[grapheme]\n{name} = {module}\n")


def grapheme_command(folder, *arguments, **environment):
    env = {**os.environ, "PYTHONPATH": str(folder), **environment}
    return subprocess.run(
        [sys.executable, "-m", "grapheme", *arguments], env=env, capture_output=True, text=True, timeout=120
    )


BACKEND = """
import grapheme
from grapheme.kernels import CONTRACT
from grapheme_numpy import cell

@grapheme.hookimpl
def grapheme_backends():
    yield grapheme.BackendSpec(
        name="mine", summary="a stranger's", contract=CONTRACT, probe=lambda options: None,
        load=lambda threads, options: grapheme.Backend("mine", cell=cell),
    )
"""
OLD = """
import grapheme
from grapheme_numpy import cell

@grapheme.hookimpl
def grapheme_backends():
    backend = grapheme.Backend("mine", {"cell": cell})
    yield grapheme.BackendSpec("mine", "a stranger's", lambda: None, lambda threads: backend, "pip", ("cell",))
"""


def test_a_strangers_backend_is_listed_and_trains(tmp_path):
    install(tmp_path, "stranger", BACKEND)
    rows = json.loads(grapheme_command(tmp_path, "backends", "--json").stdout)
    mine = next(row for row in rows if row["name"] == "mine")
    assert mine["usable"]
    assert mine["kernels"] == ["cell", "batch"]
    assert mine["origin"] == "dist-stranger 1.0"
    losses = []
    for backend in ("mine", "numpy"):
        out = tmp_path / backend
        done = grapheme_command(
            tmp_path, "train", "life", "--max-steps", "2", "--backend", backend, "--dtype", "float64", "--out", str(out)
        )
        assert done.returncode == 0, done.stderr
        losses.append([float(line.split(",")[2]) for line in (out / "metrics.csv").read_text().splitlines()[1:]])
    assert losses[0] == pytest.approx(losses[1], rel=1e-12)  # one composes its loss, the other does not


def test_a_plugin_of_the_first_contract_gets_a_sentence(tmp_path):
    install(tmp_path, "old", OLD)
    done = grapheme_command(tmp_path, "backends")
    assert done.returncode == 0
    assert "The plugin 'old' failed in grapheme_backends and is left out" in done.stderr
    assert "written for another version of grapheme" in done.stderr


def test_a_plugin_that_yields_something_else_is_left_out(tmp_path):
    install(tmp_path, "odd", "import grapheme\n@grapheme.hookimpl\ndef grapheme_backends():\n    yield 3\n")
    done = grapheme_command(tmp_path, "backends")
    assert done.returncode == 0
    assert "it yields int where BackendSpec is asked for" in done.stderr


def test_a_plugin_whose_commands_fail_breaks_no_other(tmp_path):
    code = "import grapheme\n@grapheme.hookimpl\ndef grapheme_commands(cli):\n    raise OSError('no disk')\n"
    install(tmp_path, "raising", code)
    done = grapheme_command(tmp_path, "backends")
    assert done.returncode == 0
    assert "The plugin 'raising' failed in grapheme_commands: OSError: no disk" in done.stderr


@pytest.mark.parametrize(
    "code", ["raise RuntimeError('broken on purpose')", "import a_module_that_does_not_exist", "raise SystemExit(3)"]
)
def test_a_plugin_that_fails_to_import_is_reported_and_skipped(tmp_path, code):
    install(tmp_path, "broken", code)
    listed = json.loads(grapheme_command(tmp_path, "plugins", "--json").stdout)
    errors = {row["name"]: row["error"] for row in listed}
    assert errors["broken"]
    assert errors["numpy"] is None
    assert grapheme_command(tmp_path, "backends").returncode == 0


def test_a_mistyped_hook_is_reported(tmp_path):
    install(tmp_path, "typo", "import grapheme\n@grapheme.hookimpl\ndef grapheme_backend():\n    yield None\n")
    errors = {row["name"]: row["error"] for row in json.loads(grapheme_command(tmp_path, "plugins", "--json").stdout)}
    assert "grapheme_backend" in errors["typo"]


def test_a_hook_that_raises_is_reported_and_skipped(tmp_path):
    install(
        tmp_path,
        "raising",
        "import grapheme\n@grapheme.hookimpl\ndef grapheme_backends():\n    raise OSError('no disk')\n",
    )
    done = grapheme_command(tmp_path, "backends")
    assert done.returncode == 0
    assert "The plugin 'raising' failed in grapheme_backends and is left out: OSError: no disk" in done.stderr


def test_two_plugins_with_one_name_the_second_is_reported(tmp_path):
    install(tmp_path, "twin", BACKEND, "dist-a")
    install(tmp_path, "twin", BACKEND, "dist-b")
    errors = [
        row["error"]
        for row in json.loads(grapheme_command(tmp_path, "plugins", "--json").stdout)
        if row["name"] == "twin"
    ]
    assert errors[0] is None
    assert "another plugin is already called 'twin'" in errors[1]


def test_loading_can_be_restricted(tmp_path):
    install(tmp_path, "broken", "raise RuntimeError('broken on purpose')")
    listed = json.loads(grapheme_command(tmp_path, "plugins", "--json", GRAPHEME_LOAD_PLUGINS="numpy, shipped").stdout)
    assert [row["name"] for row in listed] == ["numpy", "shipped"]


def test_a_plugin_adds_a_command(tmp_path):
    code = """
    import click, grapheme

    @grapheme.hookimpl
    def grapheme_commands(cli):
        @cli.command()
        def greet():
            click.echo("good day")
    """
    install(tmp_path, "polite", code)
    assert grapheme_command(tmp_path, "greet").stdout == "good day\n"
