"""What the training loop does with a model that makes no error but is weak, told by models that only count."""

from __future__ import annotations

import math

import numpy as np
import pytest

import grapheme
from grapheme.interfaces import AbstractExperiment, AbstractModel, AbstractTrainer, Metrics, Score
from grapheme.training.loop import LOOK, train_task
from grapheme.training.run import FURTHER, Progress, Run, Settings

EPOCHS, RIGHT = 160, 7
PATIENCE = EPOCHS // 8
"""How long a model may go without growing stronger."""


class Counter(AbstractModel):
    """A model that knows how often it was trained, and how often with lessons."""

    def __init__(self, steps=0, lessons=0):
        self.steps, self.lessons = steps, lessons

    def tensors(self):
        return {"counts": np.array([self.steps, self.lessons])}

    def place(self, backend):
        pass


class CountingTrainer(AbstractTrainer):
    """Counts."""

    def __init__(self, model, backend):
        self.model, self.backend = model, backend

    def train_on(self, batch):
        self.model.steps += 1
        return Metrics(1.0, 1.0, 1.0, 0.0)

    def state(self):
        return self.model.tensors()

    def restore(self, state):
        self.model = Counter(*state["counts"].tolist())


class Scripted(AbstractExperiment):
    """Right after ``RIGHT`` epochs, and as weak as ``weakness(lessons, attempt)`` says."""

    name, summary, epochs, refined_every = "scripted", "counts", EPOCHS, 1

    def __init__(self, weakness, restarts=3):
        self.weakness, self.restarts, self.renewed, self.attempt = weakness, restarts, [], 0

    def trainer(self, seed, attempt, dtype, backend):
        self.attempt = attempt
        return CountingTrainer(Counter(), backend)

    def batch(self, seed, attempt, epoch):
        return None

    def strengthen(self, trainer, seed, attempt, epoch):
        trainer.model.lessons += 1

    def strengthened(self, model, trainer, seed, attempt):
        self.renewed.append((attempt, model.steps, model.lessons))
        return CountingTrainer(Counter(model.steps, model.lessons), trainer.backend)

    def errors(self, model, backend):
        return 0 if model.steps >= RIGHT else 9

    def score(self, model, backend):
        errors = self.errors(model, backend)
        return Score(errors, math.inf if errors else self.weakness(model.lessons, self.attempt))


def trained(task, folder, resume=False, until=None):
    settings = Settings("scripted", 0, "float32", EPOCHS, task.restarts, 1)
    run = Run.open(folder) if resume else Run.create(folder, settings)
    stop = (lambda row, progress: _stop(progress, until)) if until else (lambda row, progress: None)
    return train_task(run, task, grapheme.get_backend("numpy"), stop, resume).progress


class Stopped(Exception):  # noqa: N818
    """The run was killed."""


def _stop(progress, until):
    if progress.epoch == until:
        raise Stopped


def test_training_ends_when_nothing_is_weak_any_more(tmp_path):
    """Weakness falls by one a lesson: at the looks in epochs 10, 20, 30 there were 3, 13 and 23 lessons."""
    task = Scripted(lambda lessons, attempt: max(0, 20 - lessons))
    progress = trained(task, tmp_path / "run")
    assert (progress.attempt, progress.epoch, progress.solved_at) == (0, 3 * LOOK, (1, RIGHT))
    assert (progress.perfect, progress.least_weakness) == (True, 0)
    assert task.renewed == [(0, 7, 0), (0, 10, 3), (0, 20, 13), (0, 30, 23)]


def test_a_model_that_grows_no_stronger_is_given_up_for_other_wires_and_the_strongest_is_kept(tmp_path):
    task = Scripted(lambda lessons, attempt: 50 - 10 * attempt)
    progress = trained(task, tmp_path / "run")
    assert (progress.attempt, progress.epoch) == (FURTHER, RIGHT + PATIENCE)
    assert (progress.solved_at, progress.least_errors, progress.least_weakness) == ((1, RIGHT), 0, 50 - 10 * FURTHER)
    assert [attempt for attempt, _, _ in task.renewed] == list(range(1 + FURTHER))


def test_a_weaker_second_attempt_does_not_replace_the_first(tmp_path):
    progress = trained(Scripted(lambda lessons, attempt: 30 + attempt), tmp_path / "run")
    assert (progress.attempt, progress.least_weakness) == (FURTHER, 30)


def test_few_attempts_follow_one_that_solved_the_task(tmp_path):
    """The first is right but weak, the others never are."""

    class Once(Scripted):
        def errors(self, model, backend):
            return super().errors(model, backend) if self.attempt == 0 else 9

    progress = trained(Once(lambda lessons, attempt: 30, restarts=9), tmp_path / "run")
    assert (progress.attempt, progress.epoch) == (FURTHER, EPOCHS)
    assert (progress.least_errors, progress.least_weakness) == (0, 30)


def test_a_task_without_other_demands_ends_as_soon_as_it_is_solved(tmp_path):
    task = Scripted(lambda lessons, attempt: 0)
    progress = trained(task, tmp_path / "run")
    assert (progress.attempt, progress.epoch, progress.perfect) == (0, RIGHT, True)


@pytest.mark.parametrize("until", [RIGHT - 1, RIGHT, 15, 29])
def test_a_run_that_was_killed_goes_on_to_the_same_end(tmp_path, until):
    def weakness(lessons, attempt):
        return max(0, 20 - lessons)

    whole = trained(Scripted(weakness), tmp_path / "whole")
    with pytest.raises(Stopped):
        trained(Scripted(weakness), tmp_path / "killed", until=until)
    assert trained(Scripted(weakness), tmp_path / "killed", resume=True) == whole


def test_an_attempt_that_was_never_right_has_all_its_epochs():
    settings = Settings("scripted", 0, "float32", EPOCHS, 1, 1)
    assert not Progress(epoch=EPOCHS - 1).attempt_over(settings)
    assert Progress(epoch=EPOCHS).attempt_over(settings)
    assert not Progress(epoch=EPOCHS).finished(settings)
    assert Progress(attempt=1, epoch=EPOCHS).finished(settings)


class Polishing(Scripted):
    """Weak for good, but for what polishing adds to the lessons: one, unless ``time`` is among ``in_vain``."""

    polishings = 4

    def __init__(self, in_vain=()):
        super().__init__(lambda lessons, attempt: max(0, 30 - 10 * max(0, lessons - 1000)), restarts=0)
        self.in_vain, self.times = in_vain, []

    def polished(self, model, time, backend):
        self.times.append((time, model.lessons))
        other = Counter(model.steps, max(model.lessons, 1000) + (-500 if time in self.in_vain else 1))
        return other, self.score(other, backend)


@pytest.fixture
def counters(monkeypatch):
    monkeypatch.setattr("grapheme.training.run.model_of", lambda tensors: Counter(*tensors["counts"].tolist()))


@pytest.mark.usefixtures("counters")
def test_the_best_model_is_polished_in_the_end_until_nothing_is_weak(tmp_path):
    task = Polishing()
    progress = trained(task, tmp_path / "run")
    assert (progress.polishings, progress.least_weakness, progress.perfect) == (3, 0, True)
    assert [time for time, _ in task.times] == [0, 1, 2]
    assert Run.open(tmp_path / "run").best()[0].lessons == 1003


@pytest.mark.usefixtures("counters")
def test_what_polishing_made_no_better_is_forgotten(tmp_path):
    task = Polishing(in_vain=(1, 2))
    progress = trained(task, tmp_path / "run")
    assert (progress.polishings, progress.least_weakness) == (4, 10)
    assert [lessons for _, lessons in task.times][1:] == [1001, 1001, 1001]


@pytest.mark.usefixtures("counters")
def test_a_run_killed_while_it_is_polished_goes_on_to_the_same_end(tmp_path):
    whole = trained(Polishing(in_vain=(0,)), tmp_path / "whole")
    backend = grapheme.get_backend("numpy")

    def kill(row, progress):
        if progress.polishings == 2:
            raise Stopped

    cut = Run.create(tmp_path / "cut", Settings("scripted", 0, "float32", EPOCHS, 0, 1))
    with pytest.raises(Stopped):
        train_task(cut, Polishing(in_vain=(0,)), backend, kill)
    rest = Polishing(in_vain=(0,))
    assert train_task(cut, rest, backend, lambda row, progress: None, resume=True).progress == whole
    assert [time for time, _ in rest.times] == [2, 3]


@pytest.mark.usefixtures("counters")
def test_a_run_killed_between_two_files_of_a_polishing_does_not_repeat_it(tmp_path, monkeypatch):
    backend, folder = grapheme.get_backend("numpy"), tmp_path / "cut"
    run = Run.create(folder, Settings("scripted", 0, "float32", EPOCHS, 0, 1))
    save_last = Run.save_last

    def kill(self, trainer, progress):
        if progress.polishings == 2:
            raise Stopped
        save_last(self, trainer, progress)

    with monkeypatch.context() as patched:
        patched.setattr(Run, "save_last", kill)
        with pytest.raises(Stopped):
            train_task(run, Polishing(), backend, lambda row, progress: None)
    rest = Polishing()
    progress = train_task(run, rest, backend, lambda row, progress: None, resume=True).progress
    assert (rest.times, progress.polishings, progress.least_weakness) == ([(2, 1002)], 3, 0)


class Repairing(Scripted):
    """Never right by itself; the third repair succeeds."""

    repaired_every = 10
    refined_every = None

    def __init__(self):
        super().__init__(lambda lessons, attempt: 0)
        self.seen = []

    def errors(self, model, backend):
        return 0 if model.steps >= 1000 else 9

    def repaired(self, model, score, backend):
        self.seen.append((model.steps, score.errors))
        return (Counter(1000), Score(0)) if len(self.seen) == 3 else (model, score)


@pytest.mark.usefixtures("counters")
def test_repairs_come_round_and_one_that_succeeds_ends_the_run(tmp_path):
    task = Repairing()
    progress = trained(task, tmp_path / "run")
    assert task.seen == [(10, 9), (20, 9), (30, 9)]
    assert (progress.epoch, progress.solved_at, progress.perfect) == (30, (1, 30), True)
    assert Run.open(tmp_path / "run").best()[0].steps == 1000
