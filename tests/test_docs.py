"""What the documents say is run: every command and file of the tutorial, every name in the README."""

from __future__ import annotations

import os
import re
import site
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

from grapheme.cli import cli

ROOT = Path(__file__).parent.parent
BLOCK = re.compile(r"```(\w+)(?: file=(\S+))?\n(.*?)```", re.DOTALL)

if not (ROOT / "docs").exists():
    pytest.skip("the documents are not beside these tests", allow_module_level=True)


@pytest.fixture
def shell(tmp_path):
    """A fresh environment that sees this one's packages, with ``grapheme`` on its path."""
    environment = tmp_path / "venv"
    subprocess.run([sys.executable, "-m", "venv", str(environment)], check=True, timeout=120)
    packages = environment / "lib" / f"python{sys.version_info.major}.{sys.version_info.minor}" / "site-packages"
    folders = {sysconfig.get_paths()["purelib"], *site.getsitepackages()}
    (packages / "outer.pth").write_text("".join(f"import site; site.addsitedir({folder!r})\n" for folder in folders))
    script = environment / "bin" / "grapheme"
    script.write_text(f"#!{environment}/bin/python\nfrom grapheme.cli import main\nmain()\n")
    script.chmod(0o755)
    env = {**os.environ, "PATH": f"{environment}/bin:{os.environ['PATH']}"}

    def run(command):
        done = subprocess.run(command, shell=True, cwd=tmp_path, env=env, capture_output=True, text=True, timeout=600)
        assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"
        return done.stdout

    return run


def test_the_tutorial_runs_from_top_to_bottom(shell, tmp_path):
    outputs = {}
    for kind, file, body in BLOCK.findall((ROOT / "docs" / "writing-a-backend.md").read_text()):
        if kind == "python":
            (tmp_path / file).write_text(body)
            continue
        for command in body.strip().splitlines():
            outputs[command] = shell(command)
    assert "mine" in outputs["grapheme backends"]
    speed = {
        row[2]: float(row[4])
        for row in map(
            str.split, outputs["grapheme bench --backend mine"].replace("soft step", "soft-step").splitlines()
        )
        if row[0] == "soft-step"
    }
    assert set(speed) == {"numpy", "mine"}


def test_the_readme_lists_every_command():
    text = (ROOT / "README.md").read_text()
    for name in cli.commands:
        assert f"`grapheme {name}" in text, name


def test_the_readme_names_no_command_that_is_not_there():
    text = (ROOT / "README.md").read_text()
    for name in re.findall(r"`grapheme ([a-z-]+)", text):
        assert name in cli.commands, name
