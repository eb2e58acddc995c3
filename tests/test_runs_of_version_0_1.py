"""Runs that version 0.1 left behind: folders written here as it wrote them, which can be read, used and resumed."""

from __future__ import annotations

import csv
import json

import numpy as np
import pytest
import safetensors.numpy
from click.testing import CliRunner
from PIL import Image

import grapheme
from grapheme.ca import DiffLogicCA
from grapheme.cli import cli
from grapheme.cortex import Cortex
from grapheme.errors import RunError
from grapheme.training.experiment import experiment
from grapheme.training.loop import train
from grapheme.training.run import Run, Settings
from grapheme.transform import GraphEditNet

SETTINGS = {"seed": 3, "dtype": "float64", "epochs": 6, "restarts": 0, "every": 2, "recipe": "reliable", "loss": None}
FACTS = {
    "attempt": 0, "epoch": 0, "least_hard_loss": None, "fewest_errors": None, "least_errors": None,
    "least_weakness": float("inf"), "solved_at": None, "polishings": 0, "polishings_left": None,
}  # fmt: skip
COLUMNS = "attempt,epoch,soft_loss,hard_loss,soft_mean,accuracy,epochs_per_second"
SUMS = [{"source": f"{a} + {b}", "target": f"{b} * {a}"} for a in "xyz" for b in "uvw"]


def old_settings(folder, name, **changes):
    """Write a folder with a ``run.json`` of format 1."""
    folder.mkdir()
    content = {"format": "grapheme run 1", "experiment": name, **SETTINGS, **changes}
    (folder / "run.json").write_text(json.dumps(content, indent=2))
    return folder


def old_checkpoint(path, tensors, **facts):
    """Write a checkpoint of format 1, which does not say of which family the model is."""
    metadata = {"format": "grapheme checkpoint 1", "facts": json.dumps(FACTS | facts)}
    path.write_bytes(safetensors.numpy.save(tensors, metadata=metadata))


def old_metrics(folder, rows):
    """Write a table with so many epochs."""
    lines = [f"0,{epoch},{9.0 - epoch},8.0,0.5,0.25,10.0" for epoch in range(rows)]
    (folder / "metrics.csv").write_text("\n".join([COLUMNS, *lines]) + "\n")


def rows(folder):
    """The table but for the speed."""
    with open(folder / "metrics.csv") as file:
        return [{k: v for k, v in row.items() if k != "steps_per_second"} for row in csv.DictReader(file)]


@pytest.fixture(scope="module")
def oracle():
    return grapheme.get_backend("numpy")


def trained(task, steps, backend, seed=3, dtype="float64"):
    """A trainer after some steps."""
    trainer = task.trainer(seed, 0, dtype, backend)
    for step in range(steps):
        trainer.train_on(task.batch(seed, 0, step))
    return trainer


def stopped(folder, task, steps, backend, **facts):
    """Leave a run as it was saved after some steps."""
    trainer = trained(task, steps, backend)
    old_checkpoint(folder / "last.safetensors", trainer.state(), epoch=steps, **facts)
    old_checkpoint(folder / "best.safetensors", trainer.model.tensors(), epoch=steps - 1, least_errors=7)
    old_metrics(folder, steps)
    return trainer


@pytest.fixture(scope="module")
def life(tmp_path_factory, oracle):
    """A run of Life that was stopped after four of six epochs; 'reliable' was asked for by name."""
    folder = old_settings(tmp_path_factory.mktemp("old") / "life", "life")
    stopped(folder, experiment("life", {"max_steps": 6}), 4, oracle)
    return folder


@pytest.mark.parametrize(
    ("name", "changes", "expected", "options"),
    [
        ("life", {}, "life", {"recipe": "reliable"}),
        ("rule-B36/S23", {"recipe": "paper"}, "rule", {"rule": "B36/S23", "recipe": "paper"}),
        ("rule-110", {}, "rule", {"rule": "110", "recipe": "reliable"}),
        ("grow", {}, "grow", {"file": "target.png", "recipe": "reliable"}),
        ("boolean", {"loss": "structural"}, "boolean", {"loss": "structural"}),
        ("pairs:math", {}, "pairs", {"file": "pairs.jsonl", "domain": "math"}),
    ],
)
def test_names_and_settings_become_those_of_today(tmp_path, name, changes, expected, options):
    run = Run.open(old_settings(tmp_path / "run", name, **changes))
    assert run.settings == Settings(expected, 3, "float64", 6, 0, 2, options)


def test_the_first_runs_named_no_recipe_and_had_that_of_the_paper(tmp_path):
    folder = old_settings(tmp_path / "run", "life")
    content = json.loads((folder / "run.json").read_text())
    del content["recipe"], content["loss"]
    (folder / "run.json").write_text(json.dumps(content))
    assert Run.open(folder).settings.options == {"recipe": "paper"}
    assert Run.open(folder).experiment().recipe is None


def test_a_rule_a_picture_and_pairs_are_made_again_from_the_folder(tmp_path):
    rule = Run.open(old_settings(tmp_path / "rule", "rule-B36/S23")).experiment()
    six = np.zeros((1, 1, 5, 5), bool)
    six[..., 1:4, 1] = six[..., 1:4, 3] = True
    assert (rule.name, rule.max_steps) == ("rule-B36/S23", 6)
    assert rule.target(six)[0, 0, 2, 2], "a cell is born of six"
    grow = old_settings(tmp_path / "grow", "grow")
    pixels = np.zeros((8, 8, 3), np.uint8)
    pixels[2:5, 1:7] = (255, 0, 0)
    Image.fromarray(pixels).save(grow / "target.png")
    target = Run.open(grow).experiment().target(np.zeros((1, 64, 8, 8), bool))[0]
    np.testing.assert_array_equal(target, pixels.transpose(2, 0, 1) > 0)
    pairs = old_settings(tmp_path / "pairs", "pairs:math")
    (pairs / "pairs.jsonl").write_text("\n".join(map(json.dumps, SUMS)))
    sets = Run.open(pairs).experiment().sets
    assert sum(map(len, (sets.train, sets.validation, sets.test))) == len(SUMS)


def test_info_and_runs_show_an_old_run(life):
    shown = CliRunner().invoke(cli, ["info", str(life)])
    assert shown.exit_code == 0, shown.output
    assert "best         7 wrong bits, at step 4 of attempt 1" in shown.output
    assert "9 to 6" in next(line for line in shown.output.splitlines() if line.startswith("soft_loss"))
    (row,) = json.loads(CliRunner().invoke(cli, ["runs", str(life), "--json"]).output)
    assert (row["experiment"], row["options"], row["steps"], row["errors"]) == ("life", "recipe=reliable", 4, 7)


def test_the_model_of_an_old_run_is_loaded_whatever_its_family(life, tmp_path, oracle):
    model = grapheme.load(life)
    assert isinstance(model, DiffLogicCA)
    expected = trained(experiment("life", {"max_steps": 6}), 4, oracle).model
    np.testing.assert_array_equal(model.harden().codes, expected.harden().codes)
    edits = old_settings(tmp_path / "edits", "boolean")
    network = experiment("boolean").trainer(0, 0, "float32", oracle).model
    old_checkpoint(edits / "best.safetensors", network.tensors(), least_errors=1)
    assert isinstance(grapheme.load(edits), GraphEditNet)
    assert isinstance(grapheme.ca.load(life), DiffLogicCA)


def test_an_old_run_goes_on_to_the_numbers_of_one_that_never_stopped(life, tmp_path, oracle):
    folder = tmp_path / "life"
    folder.mkdir()
    for file in life.iterdir():
        (folder / file.name).write_bytes(file.read_bytes())
    resumed = CliRunner().invoke(cli, ["resume", str(folder), "--backend", "numpy", "--quiet"])
    assert resumed.exit_code == 0, resumed.output
    whole = Run.create(tmp_path / "whole", Settings("life", 3, "float64", 6, 0, 2, {"recipe": "reliable"}))
    train(whole, whole.experiment(), oracle, lambda row, progress: None)
    assert rows(folder)[4:] == rows(whole.folder)[4:]
    assert [row["step"] for row in rows(folder)] == [str(step) for step in range(6)]
    here, there = (safetensors.numpy.load_file(each / "last.safetensors") for each in (folder, whole.folder))
    for name in there:
        np.testing.assert_array_equal(here[name], there[name])


def test_an_old_run_of_pairs_goes_on_to_its_end(tmp_path, oracle):
    folder = old_settings(tmp_path / "pairs", "pairs:math", dtype="float32")
    (folder / "pairs.jsonl").write_text("\n".join(map(json.dumps, SUMS)))
    task = Run.open(folder).experiment()
    old_checkpoint(folder / "last.safetensors", trained(task, 2, oracle, dtype="float32").state(), epoch=2)
    old_metrics(folder, 2)
    resumed = CliRunner().invoke(cli, ["resume", str(folder), "--backend", "numpy", "--json"])
    assert resumed.exit_code == 0, resumed.output
    outcome = json.loads(resumed.output)
    assert (outcome["step"], outcome["steps_run"]) == (6, 4)
    used = CliRunner().invoke(cli, ["transform", str(folder), "x + v", "--backend", "numpy"])
    assert used.exit_code == 0, used.output


def test_an_old_run_of_a_cortex_counted_passes_over_all_samples(tmp_path, oracle):
    """It was stopped after the first of two passes, each of three batches; what it does then are three steps."""
    words = [f"{a}{b}{c}" for a in "abcd" for b in "efgh" for c in "ijklmn"]
    folder = old_settings(tmp_path / "cortex", "cortex:text", epochs=2, every=1, dtype="float32")
    (folder / "pairs.jsonl").write_text("\n".join(json.dumps({"source": w, "target": w.upper()}) for w in words))
    run = Run.open(folder)
    task = run.experiment()
    assert (run.settings.experiment, run.settings.options) == ("cortex", {"pairs": "pairs.jsonl", "domain": "text"})
    assert (run.settings.max_steps, run.settings.every, task.validate_every) == (6, 3, 3)
    trainer = trained(task, 3, oracle, dtype="float32")
    old_checkpoint(folder / "last.safetensors", trainer.state(), epoch=1)
    old_checkpoint(folder / "best.safetensors", trainer.model.tensors(), epoch=0, least_errors=9)
    old_metrics(folder, 1)
    assert isinstance(grapheme.load(folder), Cortex)
    assert run.best()[1].step == 2, "the last of the first pass, counted from 0"
    outcome = train(run, task, oracle, lambda row, progress: None, resume=True)
    assert (outcome.progress.step, outcome.steps_run) == (6, 3)
    expected = trained(task, 6, oracle, dtype="float32").model.tensors()
    here = safetensors.numpy.load_file(folder / "last.safetensors")
    for name, array in expected.items():
        np.testing.assert_array_equal(here[name], array)
    assert Run.open(folder).restore(lambda attempt: trainer).progress.step == 6, "the new checkpoint counts steps"


def test_an_old_run_that_was_stopped_while_a_model_was_polished_goes_on_with_that_model(life, oracle, tmp_path):
    """Version 0.1 kept it in a file of its own, with how far it had come."""
    folder = old_settings(tmp_path / "run", "life")
    task = experiment("life", {"max_steps": 6})
    trainer = stopped(folder, task, 4, oracle, polishings_left=5, least_errors=0, least_weakness=8.0)
    codes = trainer.model.harden().codes[::-1].copy()
    polished = {"epoch": 4, "polishings": 2, "polishings_left": 3, "least_errors": 0, "least_weakness": 4.5}
    old_checkpoint(
        folder / "polished.safetensors", trainer.model.with_codes(codes).tensors(), solved_at=[1, 4], **polished
    )
    state = Run.open(folder).restore(lambda attempt: task.trainer(3, attempt, "float64", oracle))
    np.testing.assert_array_equal(state.refined.harden().codes, codes)
    assert (state.progress.rounds, state.progress.rounds_left, state.progress.least_penalty) == (2, 3, 4.5)
    assert (state.progress.step, state.progress.solved_at) == (4, (1, 4))
    old_checkpoint(folder / "polished.safetensors", trainer.model.tensors(), attempt=1, **polished)
    state = Run.open(folder).restore(lambda attempt: task.trainer(3, attempt, "float64", oracle))
    assert (state.refined, state.progress.rounds) == (None, 0), "that of another attempt is over"


def test_a_version_that_is_not_known_is_refused_in_a_sentence(tmp_path):
    folder = old_settings(tmp_path / "run", "life")
    (folder / "run.json").write_text(json.dumps({"format": "grapheme run 9"}))
    with pytest.raises(RunError, match="another format"):
        Run.open(folder)
