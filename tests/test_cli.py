"""The command line with good and with bad input."""

from __future__ import annotations

import json
import sys

import click
import pytest
from click.testing import CliRunner
from PIL import Image

from grapheme.cli import cli
from grapheme.cli.info import sparkline


@pytest.fixture
def invoke(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def call(*arguments):
        return CliRunner().invoke(cli, [str(a) for a in arguments])

    return call


@pytest.fixture(scope="module")
def life(tmp_path_factory):
    folder = tmp_path_factory.mktemp("cli") / "life"
    result = CliRunner().invoke(cli, ["train", "life", "--max-steps", "3", "--out", str(folder), "--quiet"])
    assert result.exit_code == 0, result.output
    assert result.output == ""
    return folder


def test_train_prints_where_the_run_is_and_what_to_try_next(invoke, tmp_path):
    result = invoke("train", "life", "--max-steps", 2, "--timing")
    assert result.exit_code == 0, result.output
    assert "Not solved" in result.stdout
    assert "grapheme info runs/life-0" in result.stdout
    assert "grapheme run runs/life-0" in result.stdout
    for part in ("forward", "loss", "backward", "merge", "update", "hard evaluation", "validation"):
        assert part in result.stderr
    assert "step 1/2 soft" in result.stderr
    assert (tmp_path / "runs" / "life-0" / "best.safetensors").exists()
    assert "runs/life-0-2" in invoke("train", "life", "--max-steps", 1).stdout


def test_train_as_json_is_one_line_of_json(invoke):
    result = invoke("train", "life", "--max-steps", 1, "--json", "--dtype", "float64", "--backend", "numpy")
    assert json.loads(result.stdout)["steps_run"] == 1
    assert result.stderr == ""


def test_info_shows_settings_curves_and_gates(invoke, life, tmp_path):
    result = invoke("info", life, "--plot", "curves.png")
    assert result.exit_code == 0, result.output
    assert "experiment   life" in result.output
    counts = [
        int(line.split()[-2] if line.rstrip().endswith("#") else line.split()[-1])
        for line in result.output.splitlines()
        if line.startswith("  ")
    ]
    assert len(counts) == 16
    assert sum(counts) == 2543
    assert Image.open(tmp_path / "curves.png").size == (960, 600)


def test_a_sparkline_goes_from_low_to_high():
    assert sparkline([0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0]) == "▁▂▃▄▅▆▇█"
    assert sparkline([5.0]) == "▁"
    assert len(sparkline(range(1000))) == 60


def test_run_prints_the_grid_or_writes_pictures(invoke, life, tmp_path):
    text = invoke("run", life, "--grid", "4x6", "--steps", 2).output.splitlines()
    assert len(text) == 4
    assert {len(line) for line in text} == {6}
    assert set("".join(text)) <= {"#", "."}
    result = invoke("run", life, "--grid", "10x16", "--steps", 5, "--async", "--gif", "film.gif", "--png", "strip.png")
    assert result.exit_code == 0, result.output
    film = Image.open(tmp_path / "film.gif")
    assert film.size == (320, 200)
    assert 2 <= film.n_frames <= 6  # equal neighbouring frames are merged
    assert Image.open(tmp_path / "strip.png").height == 100


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["train", "lief"], "no experiment 'lief'; there are"),
        (["train", "lief"], "Did you mean 'life'?"),
        (["train", "rule"], "Missing argument 'RULE'"),
        (["train", "life", "B3/S23"], "unexpected extra argument (B3/S23)"),
        (["train", "rule", "B9/S23"], "'B9/S23' is not a valid rule"),
        (["train", "rule", "256"], "'256' is not a valid rule"),
        (["train", "rule", ""], "'' is not a valid rule"),
        (["train", "life", "--size", "16"], "No such option"),
        (["train", "life", "--loss", "edits"], "No such option"),
        (["train", "grow", "a.png", "--size", "7"], "7 is not in the range 8<=x<=32"),
        (["train", "life", "--backend", "nunpy"], "Did you mean 'numpy'?"),
        (["train", "life", "--threads", "0"], "threads; got 0"),
        (["train", "life", "--threads", "9999"], "threads; got 9999"),
        (["train", "life", "--max-steps", "0"], "0 is not in the range x>=1"),
        (["train", "life", "--seed", "-1"], "-1 is not in the range x>=0"),
        (["train", "life", "--dtype", "float16"], "'float16' is not one of 'float32', 'float64'"),
        (["train", "life", "--memory", "plenty"], "write it as in 500MB"),
        (["train", "life", "--out", "."], "exists; choose another folder with --out"),
        (["train", "life", "--out", "/proc/nowhere/run"], "Cannot make the folder"),
        (["resume", "nowhere"], "nowhere is not a run"),
        (["info", "nowhere"], "nowhere is not a run"),
        (["run", "nowhere"], "nowhere is not a run"),
        (["run", "LIFE", "--grid", "10"], "write height and width as in 64x64"),
        (["run", "LIFE", "--grid", "0x4"], "write height and width as in 64x64"),
        (["run", "LIFE", "--steps", "0"], "0 is not in the range x>=1"),
        (["run", "LIFE", "--channel", "3"], "has the channels 0; 3 is not one of them"),
        (["run", "LIFE", "--gif", "no/such/folder/a.gif"], "Cannot write no/such/folder/a.gif"),
        (["info", "LIFE", "--plot", "a.xyz"], "use .png, .pdf or .svg"),
        (["info", "LIFE", "--gates", "a.xyz"], "use .png, .pdf or .svg"),
        (["export", "LIFE", "--format", "pdf", "--out", "a.pdf"], "'pdf' is not one of 'json', 'verilog'"),
        (["export", "LIFE", "--out", "a.pdf"], "does not say in which format"),
        (["export", "LIFE", "--out", "no/such/folder/a.c"], "Cannot write no/such/folder/a.c"),
        (["export", "nowhere", "--out", "a.c"], "nowhere is not a run"),
        (["evaluate", "nowhere"], "nowhere is not a run"),
        (["prove", "nowhere"], "nowhere is not a run"),
        (["prove", "LIFE", "--steps", "0"], "0 is not in the range x>=1"),
    ],
)
def test_bad_input_gets_one_sentence_and_writes_nothing(invoke, life, tmp_path, arguments, message):
    result = invoke(*(str(life) if a == "LIFE" else a for a in arguments))
    assert result.exit_code != 0
    assert message in result.stderr
    assert "Traceback" not in result.output
    assert list(tmp_path.iterdir()) == []


def test_damaged_run_files_are_refused_in_a_sentence(invoke, tmp_path):
    folder = tmp_path / "bad"
    folder.mkdir()
    for content in ("", "{", "[]", '{"format": "something else"}', '{"format": "grapheme run 1"}'):
        (folder / "run.json").write_text(content)
        result = invoke("resume", folder)
        assert result.exit_code == 1
        assert "run.json" in result.stderr
        assert len(result.stderr.strip().splitlines()) == 1


def test_every_command_and_option_has_help():
    for name, command in cli.commands.items():
        assert command.help, name
        assert "\\b" not in CliRunner().invoke(cli, [name, "--help"]).output, f"{name} shows a raw escape"
        for parameter in command.params:
            if isinstance(parameter, click.Option):  # the command's own help speaks of its arguments
                assert parameter.help, f"{name} {parameter.name}"


def test_tables_into_a_pipe_are_plain(invoke):
    lines = invoke("backends").stdout.splitlines()
    assert lines[0].split("\t") == ["name", "runs here", "device", "threads", "kernels", "from", "what it is"]
    assert any(line.startswith("numpy\tyes\tcpu\t1\tcell batch graph cortex\tgrapheme-nn ") for line in lines)
    assert invoke("plugins").stdout.splitlines()[0] == "name\tmodule\tfrom\tloaded"


def test_bench_compares_with_the_oracle_and_appends_to_a_file(invoke, tmp_path, monkeypatch):
    monkeypatch.setattr(sys.modules["grapheme.cli.bench"], "BUDGET", 0.0)
    for _ in range(2):
        result = invoke("bench", "--backend", "numba", "--append", "speeds.csv")
        assert result.exit_code == 0, result.output
    rows = [line.split("\t") for line in result.stdout.splitlines()]
    assert rows[0] == ["work", "kernel", "backend", "threads", "milliseconds", "times faster than numpy"]
    assert {row[2] for row in rows[1:]} == {"numpy", "numba"}
    assert all(row[5] == "1.0" for row in rows[1:] if row[2] == "numpy")
    lines = (tmp_path / "speeds.csv").read_text().splitlines()
    assert lines[0].startswith("date,machine,version,work,kernel,backend")
    assert len(lines) == 1 + 2 * (len(rows) - 1)
