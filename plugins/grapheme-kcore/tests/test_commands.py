"""The family as its users meet it: trained, stopped, resumed, shown, tested, and read where it is not installed."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys

import networkx as nx
import numpy as np
import pytest
from click.testing import CliRunner
from grapheme_kcore.model import MessagePassing

import grapheme
from grapheme.cli import cli
from grapheme.errors import InvalidInputError
from grapheme.graph import Graph
from grapheme.models import checkpoint
from grapheme.plugins.discovery import plugins
from grapheme.training.experiment import experiment
from grapheme.training.loop import train
from grapheme.training.run import Run, Settings

STEPS = 60


def invoke(*arguments):
    return CliRunner().invoke(cli, [str(argument) for argument in arguments])


def where_it_is_not_installed(*arguments):
    environment = {**os.environ, "GRAPHEME_LOAD_PLUGINS": "numpy,numba,shipped"}
    command = [sys.executable, *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, env=environment)


@pytest.fixture(scope="module")
def solved(tmp_path_factory):
    folder = tmp_path_factory.mktemp("runs") / "solved"
    result = invoke("train", "k-core", "--out", folder, "--json")
    assert result.exit_code == 0, result.output
    assert json.loads(result.stdout)["solved"]
    return folder


def test_the_plugin_loads():
    assert not [plugin for plugin in plugins().found if plugin.error]


def test_the_help_shows_its_options_and_what_is_learnt():
    text = invoke("train", "k-core", "--help").output
    words = " ".join(text.split())  # the width of the terminal decides where lines end
    assert re.search(r"--core INTEGER RANGE The k of the k-core to learn\. \[default: \(?2\)?; 1<=x<=4\]", words)
    assert "--width INTEGER RANGE" in words
    shown = re.findall(r"^ +((?:\d-\d +)+)->([\d ]+)$", text, re.MULTILINE)
    assert len(shown) == 3
    for edges, members in shown:
        graph = nx.Graph([edge.split("-") for edge in edges.split()])
        assert set(members.split()) == set(nx.k_core(graph, 2))


@pytest.mark.parametrize("options", [{"core": 0}, {"core": 5}, {"width": 0}])
def test_an_option_out_of_range_is_refused(tmp_path, options):
    ((name, value),) = options.items()
    assert invoke("train", "k-core", f"--{name}", value, "--out", tmp_path / "run").exit_code == 2
    with pytest.raises(InvalidInputError, match=f"--{name} is from 1 to "):
        experiment("k-core", options)


def test_a_learnt_rule_finds_the_cores_of_graphs_of_any_size(solved):
    model = grapheme.load(solved)
    assert type(model) is MessagePassing
    assert model(Graph.from_edges([(0, 1), (1, 2), (2, 0), (2, 3)])).tolist() == [True, True, True, False]
    graph = nx.gnm_random_graph(150, 200, seed=7)
    wanted = set(nx.k_core(graph, 2))
    assert 0 < len(wanted) < 150
    assert set(np.flatnonzero(model(Graph.from_networkx(graph)))) == wanted


def test_evaluate_tests_larger_graphs(solved):
    found = json.loads(invoke("evaluate", solved, "--json").stdout)
    assert (found["experiment"], found["core"]) == ("k-core", 2)
    assert [test["nodes"] for test in found["tests"]] == [12, 24, 48, 96]
    assert all(test["graphs"] == 64 and test["exact graphs"] > 0.95 for test in found["tests"])
    assert invoke("evaluate", solved).stdout.startswith("nodes\tgraphs\twrong nodes\texact graphs\n12\t64\t")


def test_info_and_runs_show_it(solved):
    shown = invoke("info", solved).output
    assert re.search(r"^state +8 numbers a node$", shown, re.MULTILINE)
    assert re.search(rf"^parameters +{8 * 8 + 8 * 8 + 8 + 8 + 1}$", shown, re.MULTILINE)
    assert re.search(r"^best +0 wrong nodes, at step \d+ of attempt 1$", shown, re.MULTILINE)
    (row,) = json.loads(invoke("runs", solved, "--json").stdout)
    assert (row["experiment"], row["solved"], row["errors"]) == ("k-core", True, 0)


def test_a_run_keeps_its_options(tmp_path):
    folder = tmp_path / "run"
    chosen = ("--core", 3, "--width", 5, "--max-steps", 2, "--seed", 4)
    assert invoke("train", "k-core", *chosen, "--out", folder, "--quiet").exit_code == 0
    assert json.loads((folder / "run.json").read_text())["options"] == {"core": 3, "width": 5}
    assert grapheme.load(folder).tensors()["own"].shape == (5, 5)
    assert "core=3 width=5" in invoke("runs", folder).output
    task = Run.open(folder).experiment()
    assert (task.core, task.width, task.max_steps) == (3, 5, 2)


def test_a_run_that_was_stopped_ends_with_the_same_bits(tmp_path):
    whole, stopped = (trained(tmp_path / name, stop) for name, stop in (("whole", None), ("stopped", STEPS // 2)))
    assert same_bits(whole, whole, "last.safetensors")
    assert not same_bits(whole, stopped, "last.safetensors")
    assert invoke("resume", stopped, "--quiet").exit_code == 0
    assert same_bits(whole, stopped, "last.safetensors")
    assert same_bits(whole, stopped, "best.safetensors")


def trained(folder, stop):
    """A run that Ctrl-C stops after a step, if one is given."""
    run = Run.create(folder, Settings("k-core", 3, "float32", STEPS, 0, 7, {"core": 3, "width": 4}))

    def on_step(row, progress):
        if progress.step == stop:
            signal.raise_signal(signal.SIGINT)

    train(run, run.experiment(), grapheme.get_backend(), on_step)
    return folder


def same_bits(one, other, file):
    tensors, others = (checkpoint.load(folder / file).tensors for folder in (one, other))
    return tensors.keys() == others.keys() and all(np.array_equal(tensors[name], others[name]) for name in tensors)


@pytest.mark.parametrize("command", ["info", "evaluate", "resume"])
def test_a_command_says_what_to_install(solved, command):
    done = where_it_is_not_installed("-m", "grapheme", command, solved)
    assert done.returncode == 1
    assert done.stderr.count("\n") == 1
    assert "which no installed plugin brings; install it with: pip install grapheme-kcore." in done.stderr


def test_load_says_what_to_install(solved):
    done = where_it_is_not_installed("-c", f"import grapheme; grapheme.load({str(solved)!r})")
    last = done.stderr.splitlines()[-1]
    assert last.startswith("grapheme.errors.RunError: This is a model of the kind 'message-passing', which no ")
    assert "install it with: pip install grapheme-kcore." in last


def test_runs_lists_it_all_the_same(solved):
    done = where_it_is_not_installed("-m", "grapheme", "runs", solved, "--json")
    assert json.loads(done.stdout)[0]["solved"] is True
