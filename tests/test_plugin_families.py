"""What the core does with a family that it knows nothing of, whose author writes numbers as numpy returns them."""

from __future__ import annotations

import json

import numpy as np
import pytest
from click.testing import CliRunner

import grapheme
from grapheme.backend import Backend
from grapheme.cli import cli
from grapheme.errors import RunError
from grapheme.models.evaluation import Evaluation
from grapheme.models.family import FAMILIES, ModelSpec, family
from grapheme.models.model import AbstractModel, AbstractTrainer, Metrics, Score
from grapheme.plugins.discovery import plugins
from grapheme.plugins.hooks import hookimpl
from grapheme.training import metrics
from grapheme.training.experiment import AbstractExperiment, ExperimentSpec
from grapheme.training.loop import train
from grapheme.training.run import Run, Settings


class Counter(AbstractModel):
    """Learns to count: its one parameter is how many steps were taken."""

    kind = "counter"

    def __init__(self, count=0):
        self.count = np.array([count], np.float32)

    def tensors(self):
        return {"count": self.count}

    def place(self, backend: Backend) -> None:
        return


class CounterTrainer(AbstractTrainer):
    def __init__(self, backend):
        self.model, self.backend = Counter(), backend

    def train_on(self, batch):
        wrong = np.float32(3) - self.model.count[0]
        self.model = Counter(self.model.count[0] + 1)
        return Metrics(wrong, wrong, wrong / 3, np.float64(1) - wrong / 3)

    def state(self):
        return self.model.tensors()

    def restore(self, state):
        self.model = Counter(state["count"][0])


class Counting(AbstractExperiment):
    name, max_steps, mistakes = "counting", 9, "steps to go"

    def trainer(self, seed, attempt, dtype, backend):
        return CounterTrainer(backend)

    def batch(self, seed, attempt, step):
        return None

    def score(self, model, backend):
        return Score(np.abs(np.array([3]) - model.count.astype(int)).sum())

    def evaluate(self, model, backend, seed):
        return Evaluation({"size": np.int64(1)}, ({"test": "count", "wrong": np.float32(0.5)},))


class CountingPlugin:
    @hookimpl
    def grapheme_models(self):
        yield ModelSpec(kind="counter", summary="counts", load=lambda tensors: Counter(tensors["count"][0]))

    @hookimpl
    def grapheme_experiments(self):
        yield ExperimentSpec(name="counting", summary="Count.", load=lambda options, folder: Counting())


@pytest.fixture
def plugin():
    manager, found = plugins().manager, CountingPlugin()
    manager.register(found, name="counting")
    yield found
    if manager.is_registered(found):
        manager.unregister(found)


@pytest.fixture
def run(plugin, tmp_path):
    made = Run.create(tmp_path / "run", Settings("counting", 0, "float32", 9, 0, 4))
    outcome = train(made, made.experiment(), grapheme.get_backend("numpy"), lambda row, progress: None)
    assert outcome.progress.solved_at == (1, 3)
    return made


def invoke(*arguments):
    return CliRunner().invoke(cli, [str(argument) for argument in arguments], catch_exceptions=False)


def test_the_table_can_be_read_again(run):
    assert [row.soft_loss for row in metrics.read(run.metrics)] == [3.0, 2.0, 1.0]


def test_the_best_model_is_that_without_errors(run):
    model, progress = run.best()
    assert model.count == 3
    assert progress.least_errors == 0


def test_every_command_that_shows_a_run_does(run):
    assert "0 steps to go, at step 3" in invoke("info", run.folder).output
    (row,) = json.loads(invoke("runs", run.folder, "--json").stdout)
    assert (row["solved"], row["errors"], row["steps"]) == (True, 0, 3)
    found = json.loads(invoke("evaluate", run.folder, "--json").stdout)
    assert (found["size"], found["tests"]) == (1, [{"test": "count", "wrong": 0.5}])
    assert invoke("resume", run.folder, "--quiet").exit_code == 0


def test_a_family_that_is_gone_is_named(run, plugin):
    plugins().manager.unregister(plugin)
    assert "counter" not in FAMILIES.all()
    for command in ("info", "evaluate"):
        assert "a model of the kind 'counter', which no installed plugin brings" in invoke(command, run.folder).output
    with pytest.raises(RunError, match="'counter', which no installed plugin brings; install it with: pip install x"):
        family("counter", "x")


def test_a_run_remembers_which_distribution_brought_its_experiment(tmp_path):
    made = Run.create(tmp_path / "life", Settings("life", 0, "float32", 9, 0, 4))
    assert Run.open(made.folder).origin == "grapheme-nn"
    path = made.folder / "run.json"
    path.write_text(path.read_text().replace('"life"', '"death"').replace("grapheme-nn", "grapheme-death"))
    with pytest.raises(RunError, match=r"experiment 'death', which no .* install it with: pip install grapheme-death"):
        Run.open(made.folder).experiment()
