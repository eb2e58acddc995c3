"""A cortex in training: it learns, counts, answers, stops and goes on."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from grapheme import get_backend
from grapheme.cli import cli
from grapheme.cortex import CollaborativeCortexConfig, CollaborativeCortexTrainer, Cortex, Sample
from grapheme.cortex.samples import mixed, read_samples, split
from grapheme.datasets.drawing import Sizes
from grapheme.errors import InvalidInputError

CONFIG = CollaborativeCortexConfig(embed_dim=8, hidden_dim=8, learning_rate=0.01, batch_size=6)
WORDS = ("phone", "photo", "graph", "ophir", "morph", "sphere")
SAMPLES = [
    *(Sample(f"{name} = {name} + {value}", f"{name} += {value}", "code") for name in "xy" for value in (1, 2, 3)),
    *(Sample(f"{value}*{name} + 0", f"{value}*{name}", "math") for name in "xy" for value in (1, 2, 3)),
    *(Sample(word, word.replace("ph", "f"), "text") for word in WORDS),
]


def trainer(threads: int = 1, **changes: object) -> CollaborativeCortexTrainer:
    config = replace(CONFIG, **changes)
    return CollaborativeCortexTrainer(Cortex.build(SAMPLES, config, seed=1), get_backend("numba", threads))


def test_it_learns_and_the_right_brain_answers() -> None:
    learner = trainer()
    stats = learner.train(SAMPLES, 25)
    assert stats.epoch_losses[-1] < stats.epoch_losses[0] / 10
    for result, sample in zip(learner.process_batch([each.source for each in SAMPLES]), SAMPLES, strict=True):
        assert (result.brain, result.text) == (sample.domain, sample.target)
        assert sum(result.weights.values()) == pytest.approx(1)


def test_counts_of_a_training() -> None:
    learner = trainer()
    stats = learner.train(SAMPLES, 2)
    assert (stats.samples_processed, stats.batches_processed, len(stats.epoch_losses)) == (36, 6, 2)
    fired = {
        name: sum(i in learner.model.read(s.source).fired for s in SAMPLES)
        for i, name in enumerate(("code", "math", "text"))
    }
    assert stats.activation_counts == {name: 2 * count for name, count in fired.items()}
    assert learner.activation_summary() == {name: count / 18 for name, count in fired.items()}
    assert stats.avg_active_brains == sum(fired.values()) / 18
    assert stats.total_time_secs > 0


def test_losses_do_not_depend_on_threads() -> None:
    one, two = trainer(1), trainer(2)
    assert [one.train_epoch(SAMPLES) for _ in range(2)] == [two.train_epoch(SAMPLES) for _ in range(2)]


def test_the_weights_of_losses_are_those_of_the_settings() -> None:
    loss = trainer(structural_weight=0.5, collaboration_weight=2.0).train_batch(SAMPLES)
    assert loss.total == pytest.approx(0.5 * loss.structural + 2 * loss.collaboration)
    assert loss.samples == len(SAMPLES)


def test_at_most_so_many_brains_fire_and_none_below_the_threshold() -> None:
    text = "x = x + 1"
    assert len(trainer().model.read(text).fired) > 1
    only = trainer(max_active_brains=1).model.read(text)
    assert [trainer().model.brains[i].name for i in only.fired] == ["code"]
    assert trainer(activation_threshold=1.0).model.read(text).fired == ()
    (result,) = trainer(activation_threshold=1.0).process_batch([text])
    assert (result.brain, result.output, result.text) == (None, None, None)
    assert all(not each.fired and each.reason for each in result.activations)


def test_a_label_that_was_never_seen_keeps_a_brain_silent_and_says_so() -> None:
    (result,) = trainer().process_batch(["ß"])
    assert result.brain is None
    assert "No node in the training set has the label 'ß'" in result.activations[2].reason


def test_a_dataset_of_any_length_is_answered_in_order() -> None:
    learner = trainer()
    texts = [sample.source for sample in SAMPLES]
    assert [result.input for result in learner.process_dataset(texts)] == texts
    together, single = learner.process_batch(texts), [learner.process_batch([text])[0] for text in texts]
    assert [each.text for each in together] == [each.text for each in single]


def test_a_restored_trainer_goes_on_to_the_same_numbers() -> None:
    one = trainer()
    one.train_epoch(SAMPLES)
    other = trainer()
    other.restore({name: np.array(array) for name, array in one.state().items()})
    assert one.train_epoch(SAMPLES) == other.train_epoch(SAMPLES)
    assert one.stats.activation_counts == other.stats.activation_counts
    assert all(one.model.parameters[k].tobytes() == v.tobytes() for k, v in other.model.parameters.items())


def test_an_empty_dataset_and_a_foreign_domain_are_refused() -> None:
    with pytest.raises(InvalidInputError, match="The dataset is empty"):
        Cortex.build([])
    with pytest.raises(InvalidInputError, match="The dataset is empty"):
        trainer().train_epoch([])
    with pytest.raises(InvalidInputError, match="There is no brain 'music'"):
        Cortex.build([Sample("a", "b", "music")])
    with pytest.raises(InvalidInputError, match="cannot read '2 \\+'"):
        Cortex.build([Sample("2 +", "2", "math")])


def test_mixed_samples_are_balanced_and_share_no_source() -> None:
    sets = mixed(0, Sizes(12, 4, 5))
    counts = [
        [sum(s.domain == name for s in part) for name in ("code", "math", "text")] for part in (sets.train, sets.test)
    ]
    assert counts == [[12, 12, 12], [5, 5, 5]]
    sources = [{sample.source for sample in part} for part in (sets.train, sets.validation, sets.test)]
    assert len(set.union(*sources)) == sum(map(len, sources))


def test_samples_with_one_source_stay_in_one_set() -> None:
    twice = [Sample(str(i % 20), str(i), "text") for i in range(40)]
    sets = split(twice, 0)
    sources = [{sample.source for sample in part} for part in (sets.train, sets.validation, sets.test)]
    assert [len(part) for part in sources] == [16, 2, 2]
    assert len(set.union(*sources)) == 20


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run on samples of a file, stopped after two steps."""
    folder = tmp_path_factory.mktemp("cortex")
    lines = [{"source": {s.domain: s.source}, "target": {s.domain: s.target}} for s in SAMPLES]
    (folder / "mine.jsonl").write_text("\n".join(map(json.dumps, lines)))
    command = ["train", "cortex", "--pairs", str(folder / "mine.jsonl"), "--max-steps", "2", "--quiet"]
    for out in ("one", "two"):
        result = CliRunner().invoke(cli, [*command, "--out", str(folder / out)])
        assert result.exit_code == 0, result.output
    return folder


def test_a_run_that_is_resumed_ends_as_one_that_never_stopped(run: Path) -> None:
    settings = json.loads((run / "one" / "run.json").read_text())
    (run / "one" / "run.json").write_text(json.dumps(settings | {"max_steps": 4}))
    assert CliRunner().invoke(cli, ["resume", str(run / "one"), "--quiet"]).exit_code == 0
    whole = [
        "train",
        "cortex",
        "--pairs",
        str(run / "mine.jsonl"),
        "--max-steps",
        "4",
        "--quiet",
        "--out",
        str(run / "whole"),
    ]
    assert CliRunner().invoke(cli, whole).exit_code == 0
    rows = [(run / name / "metrics.csv").read_text().splitlines() for name in ("one", "whole")]
    assert [row.rsplit(",", 1)[0] for row in rows[0]] == [row.rsplit(",", 1)[0] for row in rows[1]]  # but for the speed


def test_asking_a_cortex_shows_who_fired(run: Path) -> None:
    shown = CliRunner().invoke(cli, ["cortex", str(run / "two"), "x = x + 1"])
    assert shown.exit_code == 0, shown.output
    lines = [line.split("\t") for line in shown.output.splitlines()]
    assert lines[0] == ["brain", "confidence", "weight", "why not"]
    assert [line[0] for line in lines[1:4]] == ["code", "math", "text"]
    assert lines[1][1] == "0.750"
    record = json.loads(CliRunner().invoke(cli, ["cortex", str(run / "two"), "phone", "--json"]).output)
    assert (record["input"], record["brain"]) == ("phone", "text")
    assert [each["fired"] for each in record["activations"]] == [False, False, True]


def test_every_line_of_the_standard_input_is_asked(run: Path) -> None:
    shown = CliRunner().invoke(cli, ["cortex", str(run / "two"), "--json"], input="phone\n\n2*x + 0\n")
    assert [json.loads(line)["input"] for line in shown.output.splitlines()] == ["phone", "2*x + 0"]


def test_mistakes_on_the_command_line_are_sentences(run: Path, tmp_path: Path) -> None:
    asked = CliRunner().invoke(cli, ["cortex", str(run / "two"), "ß"])
    assert (asked.exit_code, "No brain fires on 'ß'." in asked.output) == (1, True)
    (tmp_path / "bad.jsonl").write_text('{"source": {"math": "1 +"}, "target": {"math": "1"}}')
    bad = CliRunner().invoke(
        cli, ["train", "cortex", "--pairs", str(tmp_path / "bad.jsonl"), "--out", str(tmp_path / "r")]
    )
    assert (bad.exit_code, "Line 1 of" in bad.output) == (1, True)
    assert not (tmp_path / "r").exists()
    (tmp_path / "none.jsonl").write_text("")
    with pytest.raises(InvalidInputError, match="There are no pairs"):
        read_samples(tmp_path / "none.jsonl")
