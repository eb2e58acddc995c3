"""Every command that a document shows is run, shortened by the table below where it would take long."""

from __future__ import annotations

import ast
import importlib.metadata
import itertools
import json
import re
import shlex
import textwrap
import tomllib
from pathlib import Path

import pytest
from click.testing import CliRunner

from grapheme.cli import cli
from grapheme.plugins import plugins

ROOT = Path(__file__).parent.parent
TUTORIAL = "docs/writing-a-backend.md"  # test_docs.py runs it from top to bottom
PROGRAMS = ("grapheme", "make", "pip", "python", "pytest", "ray")

INDENTED = re.compile(rf"^    (?:\.venv/bin/)?((?:{'|'.join(PROGRAMS)}) .*?)(?: +# .*)?$", re.MULTILINE)
INLINE = re.compile(rf"`((?:{'|'.join(PROGRAMS)}) [^`]+)`")
FILE = re.compile(r"^```\w+ file=(\S+)\n(.*?)^```", re.MULTILINE | re.DOTALL)
PRINTED = re.compile(r"^    (grapheme .*)\n((?:    (?!grapheme ).*\n)+)", re.MULTILINE)
"""A command with what it prints below it."""
PLACEHOLDER = re.compile(r"\b[A-Z]{3,}\b")
"""A word that stands for something, as in ``grapheme info RUN``: no command to type."""

SHORTER = {
    "train": ["--max-steps", "2"],
    "run": ["--steps", "3"],
}
"""What is added to a command of grapheme, so that it does the same in less time; the last of two options counts."""

NEEDS = {
    "--backend cupy": "a graphics card",
    "--address": "a cluster",
    "grapheme bench": "a minute; test_docs.py runs it",
    "verify --backend jax": "minutes; the plugin's own tests do the same",
    "numerals": "a file of the reader's own; the plugin's tests write one",
}
"""What is not run at all, and why."""

if not (ROOT / "docs").exists():
    pytest.skip("the documents are not beside these tests", allow_module_level=True)


def documents():
    found = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *ROOT.glob("docs/*.md"), *ROOT.glob("plugins/*/README.md")]
    return sorted(str(path.relative_to(ROOT)) for path in found if str(path.relative_to(ROOT)) != TUTORIAL)


def commands(document):
    """All commands to type; a mere name in a sentence, as ``grapheme prove``, is none."""
    text = (ROOT / document).read_text()
    inline = [command for command in INLINE.findall(text) if not re.fullmatch(r"grapheme (graph )?[a-z-]+", command)]
    return [command for command in INDENTED.findall(text) + inline if not PLACEHOLDER.search(command)]


def installed(document):
    """Say whether the plugin that a document is about is here; documents of the project itself always are."""
    if not document.startswith("plugins/"):
        return True
    return document.split("/")[1] in {entry.dist.name for entry in importlib.metadata.entry_points(group="grapheme")}


def reason_not_to_run(command):
    return next((why for text, why in NEEDS.items() if text in command), None)


@pytest.mark.parametrize("document", documents())
def test_every_command_of_grapheme_runs(document, tmp_path, monkeypatch):
    if not installed(document):
        pytest.skip("its plugin is not installed; 'make plugin-test' runs these commands")
    monkeypatch.chdir(tmp_path)
    write_pairs(tmp_path / "mine.jsonl")
    for name, content in FILE.findall((ROOT / document).read_text()):
        (tmp_path / name).write_text(content)
    plugins().manager.hook.grapheme_commands(cli=cli)
    for command in commands(document):
        words = shlex.split(command)
        if words[0] != "grapheme" or reason_not_to_run(command):
            continue
        needed = [word for word in words if word.startswith("runs/") and not Path(word).exists()]
        assert not needed or "--out" in words, f"no command before this one makes {needed}: {command}"
        words, given = redirected(words)
        result = CliRunner().invoke(cli, [*words[1:], *shorter(words[1:])], input=given)
        assert result.exit_code == 0, f"{command}\n{result.output}"


def test_the_page_on_graphs_shows_what_its_commands_print(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    text = (ROOT / "docs" / "graphs.md").read_text()
    for name, content in FILE.findall(text):
        (tmp_path / name).write_text(content)
    examples = PRINTED.findall(text)
    assert len(examples) == len(commands("docs/graphs.md"))
    for command, printed in examples:
        result = CliRunner().invoke(cli, shlex.split(command)[1:])
        assert result.stdout == textwrap.dedent(printed), command


def redirected(words):
    """A command without its ``< file``, and lines for that file."""
    if "<" not in words:
        return words, None
    return words[: words.index("<")], "3*x + 0\nx = x + 1\n"


def write_pairs(path):
    """What a reader's own file of pairs may look like: sums whose sides change places."""
    numbers = itertools.product(range(2, 8), repeat=2)
    pairs = [{"source": {"math": f"{a} * x + {b}"}, "target": {"math": f"{b} + {a} * x"}} for a, b in numbers]
    path.write_text("".join(json.dumps(pair) + "\n" for pair in pairs))


def shorter(words):
    return SHORTER.get(words[0], []) + (["--seeds", "2"] if "--seeds" in words else [])


def test_make_has_every_target_that_is_shown():
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    shown = {word for d in documents() for c in commands(d) if c.startswith("make ") for word in c.split()[1:2]}
    assert shown
    assert shown <= targets


def test_every_extra_and_plugin_that_is_shown_can_be_installed():
    extras = set(tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"])
    wanted = [shlex.split(c)[-1] for d in documents() for c in commands(d) if c.startswith("pip install ")]
    assert wanted
    for name in wanted:
        extra = re.fullmatch(r"grapheme-nn\[(.+)\]", name)
        assert extra[1] in extras if extra else (ROOT / name / "pyproject.toml").exists(), name


def test_every_script_that_is_shown_is_there():
    scripts = {c.split()[1] for d in documents() for c in commands(d) if re.match(r"python \S+\.py", c)}
    assert scripts
    for script in scripts:
        ast.parse((ROOT / script).read_text(), script)
