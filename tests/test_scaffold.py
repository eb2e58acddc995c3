"""A stranger's path: scaffold, install, list, verify, test, train."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys

import pytest
from click.testing import CliRunner

from grapheme.cli import cli


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    """A scaffolded backend, installed into a folder of its own beside this environment."""
    folder = tmp_path_factory.mktemp("scaffold")
    result = CliRunner().invoke(cli, ["new-backend", "my-own", "--out", str(folder / "plugin")])
    assert result.exit_code == 0, result.output
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--disable-pip-version-check"]
    subprocess.run([*pip, "--target", str(folder / "site"), str(folder / "plugin")], check=True, timeout=300)
    return folder


def run(installed, *command):
    env = {**os.environ, "PYTHONPATH": str(installed / "site")}
    return subprocess.run(
        [sys.executable, *map(str, command)], env=env, cwd=installed, capture_output=True, text=True, timeout=300
    )


def test_it_is_listed(installed):
    rows = json.loads(run(installed, "-m", "grapheme", "backends", "--json").stdout)
    mine = next(row for row in rows if row["name"] == "my-own")
    assert mine["usable"]
    assert mine["kernels"] == ["cell", "batch"], "roll-outs are composed of steps"
    assert mine["origin"] == "grapheme-my-own 0.1.0"


def test_it_conforms_and_its_own_tests_pass_without_an_edit(installed):
    done = run(installed, "-m", "grapheme", "verify", "--backend", "my-own")
    assert done.returncode == 0, done.stderr
    assert [line.split("\t")[:3] for line in done.stdout.splitlines()[1:]] == [
        ["cell.step", "28", "0"],
        ["cell.step_grad", "28", "0"],
        ["cell.hard_step", "28", "0"],
        ["batch.rollout", "28", "0"],
        ["batch.rollout_grad", "28", "0"],
        ["batch.hard_rollout", "28", "0"],
        ["batch.loss_and_grad", "28", "0"],
        ["batch.hard_errors", "30", "0"],
        ["batch.granularity", "3", "0"],
    ], "those of the group batch are composed of its steps"
    done = run(installed, "-m", "pytest", "-q", "-p", "no:cacheprovider", "plugin/tests")
    assert done.returncode == 0, done.stdout
    assert f"{7 * 28 + 30 + 3} passed" in done.stdout


def test_the_type_checker_finds_no_mistake_in_it(installed):
    pytest.importorskip("mypy", reason="mypy is not installed; it comes with the extra 'dev'")
    command = ["--strict", "--python-executable", sys.executable, "--cache-dir", "mypy-cache", "site/grapheme_my_own"]
    done = run(installed, "-m", "mypy", *command)
    assert done.returncode == 0, done.stdout


def test_a_kernel_with_another_signature_is_a_mistake_to_the_type_checker(installed, tmp_path):
    pytest.importorskip("mypy", reason="mypy is not installed; it comes with the extra 'dev'")
    package = shutil.copytree(installed / "site" / "grapheme_my_own", tmp_path / "grapheme_my_own")
    text = (package / "cell.py").read_text()
    (package / "cell.py").write_text(text.replace("boundary: Boundary, fire: Bits | None", "boundary: Boundary"))
    command = ["--strict", "--python-executable", sys.executable, "--cache-dir", "mypy-cache", package]
    done = run(installed, "-m", "mypy", *command)
    assert done.returncode == 1
    assert 'expected "CellKernels"' in done.stdout


def test_it_trains_to_the_oracles_losses(installed):
    losses = []
    for backend in ("my-own", "numpy"):
        out = installed / backend
        done = run(
            installed,
            "-m",
            "grapheme",
            "train",
            "life",
            "--backend",
            backend,
            "--max-steps",
            2,
            "--dtype",
            "float64",
            "--out",
            out,
        )
        assert done.returncode == 0, done.stderr
        losses.append(
            [[float(v) for v in line.split(",")[2:4]] for line in (out / "metrics.csv").read_text().splitlines()[1:]]
        )
    assert losses[0] == [pytest.approx(row, rel=1e-10) for row in losses[1]]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["Mine"], "cannot be a backend's name"),
        (["1st"], "cannot be a backend's name"),
        (["numba"], "'numba' is installed already"),
        (["mine", "--out", "."], "exists; choose another folder"),
    ],
)
def test_bad_names_write_nothing(tmp_path, monkeypatch, arguments, message):
    monkeypatch.chdir(tmp_path)
    result = CliRunner().invoke(cli, ["new-backend", *arguments])
    assert result.exit_code == 1
    assert message in result.stderr
    assert list(tmp_path.iterdir()) == []
