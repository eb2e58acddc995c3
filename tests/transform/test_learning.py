"""Networks learn small tasks exactly, and do not where they must not; runs behave as all runs do."""

from __future__ import annotations

import dataclasses
import json
from functools import partial

import numpy as np
import pytest
from click.testing import CliRunner
from grapheme.experiments.registry import experiment

import grapheme
from grapheme.cli import cli
from grapheme.datasets.drawing import Sizes, draw_sets
from grapheme.datasets.pairs import GraphTask, Pair
from grapheme.domains.shipped import GRAPH
from grapheme.errors import InvalidInputError
from grapheme.experiments import edits as experiments
from grapheme.experiments.edits import EditExperiment, right
from grapheme.graph import Graph
from grapheme.training.loop import train_task
from grapheme.training.run import Run, Settings
from grapheme.transform import GraphEditNet, NetShape


def next_to_a(graph):
    """A node becomes b if a neighbour is a, else it keeps its label: nothing that a node alone could know."""
    near = [graph.indices[a:b] for a, b in zip(graph.indptr, graph.indptr[1:], strict=False)]
    beside = [any(graph.node_labels[w] == "a" for w in others) for others in near]
    labels = ["b" if changed else own for changed, own in zip(beside, graph.node_labels, strict=True)]
    return Graph.from_edges(graph.edge_list, graph.nodes, labels)


def draw(rng):
    nodes = int(rng.integers(3, 8))
    tree = [(int(rng.integers(v)), v) for v in range(1, nodes)]
    graph = Graph.from_edges(tree, nodes, rng.choice(["a", "b", "c"], nodes).tolist())
    return Pair(graph, next_to_a(graph))


TASK = GraphTask("next-to-a", "labels from neighbours", GRAPH, partial(draw_sets, draw, Sizes(150, 40, 60)))
SMALL = EditExperiment(
    name="next-to-a", summary="labels from neighbours", task=TASK, shape=NetShape(12, 2), radius=1, lr=0.01,
    epochs=300, batch_size=32, realign_every=100, checked_every=20,
)  # fmt: skip


@pytest.fixture(scope="module")
def backend():
    return grapheme.get_backend("numba", 1)


def trained(task, folder, backend, epochs=None):
    run = Run.create(folder, Settings(task.name, 0, "float32", epochs or task.epochs, 0, 1000))
    train_task(run, task, backend, lambda row, progress: None)
    return run


def test_a_rule_about_neighbours_is_learnt_exactly_and_not_without_messages(tmp_path, backend):
    learnt = trained(SMALL, tmp_path / "a", backend).best()[0]
    assert isinstance(learnt, GraphEditNet)
    assert right(learnt, SMALL.sets.test, backend).mean() == 1
    blind = dataclasses.replace(SMALL, shape=NetShape(12, 0), epochs=150)
    assert right(trained(blind, tmp_path / "b", backend).best()[0], SMALL.sets.test, backend).mean() < 0.9
    frozen = dataclasses.replace(SMALL, frozen=True, epochs=20)
    assert right(trained(frozen, tmp_path / "c", backend).best()[0], SMALL.sets.test, backend).mean() < 0.5


def test_the_structural_loss_goes_down(backend):
    task = SMALL.with_loss("structural")
    trainer = task.trainer(0, 0, "float32", backend)
    losses = [trainer.train_on(task.batch(0, 0, epoch)).soft_mean for epoch in range(30)]
    assert np.mean(losses[-5:]) < 0.6 * np.mean(losses[:5])


def test_a_run_resumes_to_the_same_numbers(backend):
    task = dataclasses.replace(SMALL, epochs=24, realign_every=10, checked_every=1000)
    whole = task.trainer(0, 0, "float32", backend)
    half = task.trainer(0, 0, "float32", backend)
    for epoch in range(24):
        last = whole.train_on(task.batch(0, 0, epoch))
        if epoch < 12:
            half.train_on(task.batch(0, 0, epoch))
    other = task.trainer(1, 0, "float32", backend)
    other.restore(half.state())
    for epoch in range(12, 24):
        again = other.train_on(task.batch(0, 0, epoch))
    assert again == last
    for name, array in whole.model.to_host().items():
        assert array.tobytes() == other.model.to_host()[name].tobytes()


def test_every_task_is_an_experiment():
    names = {"edit-cycles", "degree-rules", "life-graph", "boolean", "peano", "math", "code", "text"}
    assert names <= {each.name for each in experiments.edit_experiments()}
    with pytest.raises(InvalidInputError, match=r"There is no loss 'edit'.*Did you mean 'edits'"):
        experiment("boolean").with_loss("edit")
    with pytest.raises(InvalidInputError, match="has one loss only"):
        experiment("life").with_loss("edits")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A run of a file of pairs, as the command line makes it."""
    home = tmp_path_factory.mktemp("pairs")
    lines = [{"source": f"{a} + {b}", "target": f"{b} * {a}"} for a in "xyz" for b in "uvw"]
    (home / "pairs.jsonl").write_text("\n".join(map(json.dumps, lines)))
    done = CliRunner().invoke(
        cli,
        ["train", "pairs", "--pairs", str(home / "pairs.jsonl"), "--domain", "math", "--epochs", "60", "--threads", "1",
         "--out", str(home / "run"), "--quiet"],
    )  # fmt: skip
    assert done.exit_code == 0, done.output
    (home / "pairs.jsonl").unlink()  # the run keeps them
    return home / "run"


def test_a_run_is_transformed_evaluated_and_drawn(folder, tmp_path):
    run = CliRunner().invoke
    done = run(cli, ["transform", str(folder), "x + v", "--threads", "1", "--draw", str(tmp_path / "edits.png")])
    assert done.exit_code == 0, done.output
    assert (tmp_path / "edits.png").read_bytes()[:4] == b"\x89PNG"
    record = json.loads(run(cli, ["transform", str(folder), "x + v", "--threads", "1", "--json"]).stdout)
    assert record["source"]["nodes"] == 3
    assert record["domain"] == "math"
    table = json.loads(run(cli, ["evaluate", str(folder), "--threads", "1", "--json"]).stdout)
    assert {test["set"] for test in table["tests"]} == {"train", "validation", "test"}
    assert isinstance(grapheme.load(folder), GraphEditNet)


@pytest.mark.parametrize(
    ("given", "message"),
    [("x + q", "has the label 'q'"), ("x +", ""), ("sin(x)", "has the label 'sin'")],
)
def test_input_that_makes_no_sense_is_a_sentence(folder, given, message):
    done = CliRunner().invoke(cli, ["transform", str(folder), given, "--threads", "1"])
    assert done.exit_code == 1
    assert message in done.output
    assert "Traceback" not in done.output
