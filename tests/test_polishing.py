"""What the training loop does with a model that makes no error but is weak, told by models that only count."""

from __future__ import annotations

import math

import numpy as np
import pytest

import grapheme
from grapheme.models import checkpoint
from grapheme.models.model import AbstractModel, AbstractTrainer, Metrics, Score
from grapheme.training.experiment import AbstractExperiment
from grapheme.training.loop import train_task
from grapheme.training.run import FURTHER, Progress, Run, Settings

EPOCHS, RIGHT, POLISHINGS = 20, 7, 4


class Counter(AbstractModel):
    """A model that knows how often it was trained, and how well it was polished."""

    def __init__(self, steps=0, gloss=0):
        self.steps, self.gloss = steps, gloss

    def tensors(self):
        return {"counts": np.array([self.steps, self.gloss])}

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
    """Right after ``RIGHT`` epochs, and then as weak as its gloss leaves it, which ``gains(attempt, time)`` adds to."""

    name, summary, epochs, refined_every = "scripted", "counts", EPOCHS, 1

    def __init__(self, gains=lambda attempt, time: 10, penalty=30, restarts=0, most=POLISHINGS):
        self.gains, self.penalty, self.restarts, self.most = gains, weakness, restarts, most
        self.attempt, self.times = 0, []

    def trainer(self, seed, attempt, dtype, backend):
        self.attempt = attempt
        return CountingTrainer(Counter(), backend)

    def batch(self, seed, attempt, epoch):
        return None

    def errors(self, model, backend):
        return 0 if model.steps >= RIGHT else 9

    def score(self, model, backend):
        errors = self.errors(model, backend)
        return Score(errors, math.inf if errors else max(0, self.penalty - model.gloss))

    def polishings(self, backend):
        return self.most

    def polished(self, model, time, backend):
        self.times.append((self.attempt, time, model.gloss))
        other = Counter(model.steps, model.gloss + self.gains(self.attempt, time))
        return other, self.score(other, backend)


@pytest.fixture(autouse=True)
def counters(monkeypatch):
    monkeypatch.setattr("grapheme.training.run.model_of", lambda tensors: Counter(*tensors["counts"].tolist()))


class Stopped(Exception):  # noqa: N818
    """The run was killed."""


def trained(task, folder, resume=False, on_epoch=lambda row, progress: None, every=1):
    settings = Settings("scripted", 0, "float32", EPOCHS, task.restarts, every)
    run = Run.open(folder) if resume else Run.create(folder, settings)
    return train_task(run, task, grapheme.get_backend("numpy"), on_epoch, resume).progress


def checkpoints(folder):
    """What is saved in a run's folder; the order of facts in a file is not always the same."""
    loaded = {path.name: checkpoint.load(path) for path in folder.glob("*.safetensors")}
    return {name: (tensors["counts"].tolist(), facts) for name, (tensors, facts) in loaded.items()}


def test_a_weak_model_is_polished_until_it_is_weak_no_longer(tmp_path):
    task = Scripted()
    progress = trained(task, tmp_path / "run")
    assert task.times == [(0, 0, 0), (0, 1, 10), (0, 2, 20)]
    assert (progress.solved_at, progress.step, progress.rounds) == ((1, RIGHT), RIGHT, 3)
    assert progress.perfect
    assert Run.open(tmp_path / "run").best()[0].gloss == 30


def test_polishing_goes_on_from_what_came_of_it_and_the_best_is_kept(tmp_path):
    """The first gains ten, the second loses five, the others nothing."""
    task = Scripted(lambda attempt, time: (10, -5, 0, 0)[time])
    progress = trained(task, tmp_path / "run")
    assert [gloss for _, _, gloss in task.times] == [0, 10, 5, 5]
    assert (progress.least_penalty, Run.open(tmp_path / "run").best()[0].gloss) == (20, 10)


def test_a_model_that_stays_weak_is_given_up_for_other_wires_and_the_strongest_is_kept(tmp_path):
    task = Scripted(lambda attempt, time: attempt + 1, restarts=9)
    progress = trained(task, tmp_path / "run")
    assert (progress.attempt, progress.solved_at) == (FURTHER, (1, RIGHT))
    assert progress.least_penalty == 30 - POLISHINGS * (FURTHER + 1)
    assert [attempt for attempt, _, _ in task.times] == [a for a in range(FURTHER + 1) for _ in range(POLISHINGS)]


def test_a_weaker_second_attempt_does_not_replace_the_first(tmp_path):
    progress = trained(Scripted(lambda attempt, time: -attempt, restarts=9), tmp_path / "run")
    assert (progress.attempt, progress.least_penalty) == (FURTHER, 30)
    assert Run.open(tmp_path / "run").best()[1].attempt == 0


def test_few_attempts_follow_one_that_solved_the_task(tmp_path):
    """The first is right but weak, the others never are."""

    class Once(Scripted):
        def errors(self, model, backend):
            return super().errors(model, backend) if self.attempt == 0 else 9

    progress = trained(Once(lambda attempt, time: 0, restarts=9), tmp_path / "run")
    assert (progress.attempt, progress.step) == (FURTHER, EPOCHS)
    assert (progress.least_errors, progress.least_penalty) == (0, 30)


def test_a_task_without_other_demands_ends_as_soon_as_it_is_solved(tmp_path):
    task = Scripted(penalty=0)
    progress = trained(task, tmp_path / "run")
    assert (progress.attempt, progress.step, progress.perfect, task.times) == (0, RIGHT, True, [])


@pytest.mark.parametrize(("epoch", "polishings"), [(RIGHT - 1, 0), *((RIGHT, n) for n in (0, 1, 3, POLISHINGS))])
@pytest.mark.parametrize("attempt", [0, 1])
def test_a_run_that_was_killed_goes_on_to_the_same_files(tmp_path, epoch, polishings, attempt):
    def gains(attempt, time):
        return (5, -3, 1, 2)[time] + 2 * attempt

    def kill(row, progress):
        if (progress.attempt, progress.step, progress.rounds) == (attempt, epoch, polishings):
            raise Stopped

    whole = trained(Scripted(gains, restarts=2), tmp_path / "whole")
    with pytest.raises(Stopped):
        trained(Scripted(gains, restarts=2), tmp_path / "killed", on_epoch=kill)
    rest = Scripted(gains, restarts=2)
    rest.attempt = attempt
    assert trained(rest, tmp_path / "killed", resume=True) == whole
    assert checkpoints(tmp_path / "killed") == checkpoints(tmp_path / "whole")


@pytest.mark.parametrize(
    ("cut", "polishings"),
    [
        ("save_best", 0),
        ("save_best", 2),
        ("save_polished", 0),
        ("save_polished", 2),
        ("save_last", 0),
        ("save_last", 4),
    ],
)
def test_a_run_killed_between_two_files_goes_on_to_the_same_files(tmp_path, monkeypatch, cut, polishings):
    def gains(attempt, time):
        return 5

    whole = trained(Scripted(gains), tmp_path / "whole")
    save = getattr(Run, cut)

    def kill(self, model, progress):
        if progress.solved and progress.rounds == polishings:
            raise Stopped
        save(self, model, progress)

    with monkeypatch.context() as patched:
        patched.setattr(Run, cut, kill)
        with pytest.raises(Stopped):
            trained(Scripted(gains), tmp_path / "killed")
    rest = Scripted(gains)
    assert trained(rest, tmp_path / "killed", resume=True) == whole
    assert rest.times[:1] == {0: [(0, 0, 0)], 2: [(0, 1, 5)], 4: []}[polishings]
    killed, expected = (checkpoints(tmp_path / name) for name in ("killed", "whole"))
    assert killed["best.safetensors"] == expected["best.safetensors"]
    if (cut, polishings) != ("save_last", 0):  # then the trainer, which nobody will need, is from an epoch before
        assert killed == expected


@pytest.mark.parametrize("polishings", [0, 1, 2])
def test_a_run_killed_long_after_the_last_checkpoint_of_its_training_goes_on_to_the_same_files(tmp_path, polishings):
    """Checkpoints are due every five epochs, and the model is right after seven."""

    def kill(row, progress):
        if (progress.step, progress.rounds) == (RIGHT, polishings):
            raise Stopped

    whole = trained(Scripted(), tmp_path / "whole", every=5)
    with pytest.raises(Stopped):
        trained(Scripted(), tmp_path / "killed", on_epoch=kill, every=5)
    assert trained(Scripted(), tmp_path / "killed", resume=True) == whole
    assert checkpoints(tmp_path / "killed") == checkpoints(tmp_path / "whole")


def test_what_was_polished_in_an_earlier_attempt_is_over(tmp_path, monkeypatch):
    """Killed after the second attempt was saved and before what is left of the first was removed."""
    task = Scripted(lambda attempt, time: 1, restarts=1)

    def kill(self):
        raise Stopped

    with monkeypatch.context() as patched:
        patched.setattr(Run, "forget_polished", kill)
        with pytest.raises(Stopped):
            trained(task, tmp_path / "run")
    rest = Scripted(lambda attempt, time: 1, restarts=1)
    assert trained(rest, tmp_path / "run", resume=True).attempt == 1
    assert rest.times == [(1, time, time) for time in range(POLISHINGS)]


def test_a_weak_model_that_nothing_can_be_done_about_ends_the_run(tmp_path):
    task = Scripted(restarts=9, most=0)
    progress = trained(task, tmp_path / "run")
    assert (progress.attempt, progress.step, progress.solved, progress.perfect) == (0, RIGHT, True, False)
    assert task.times == []


def test_what_polishing_left_is_there_while_it_goes_on_and_not_afterwards(tmp_path):
    seen = []
    trained(
        Scripted(),
        tmp_path / "run",
        on_epoch=lambda row, progress: seen.append((tmp_path / "run" / "polished.safetensors").exists()),
    )
    assert seen == [False] * (RIGHT - 1) + [True] * 4
    assert not (tmp_path / "run" / "polished.safetensors").exists()


def test_an_attempt_that_was_never_right_has_all_its_epochs():
    settings = Settings("scripted", 0, "float32", EPOCHS, 1, 1)
    assert not Progress(epoch=EPOCHS - 1).attempt_over(settings)
    assert Progress(epoch=EPOCHS).attempt_over(settings)
    assert not Progress(epoch=EPOCHS).finished(settings)
    assert Progress(attempt=1, epoch=EPOCHS).finished(settings)


def test_a_run_of_an_earlier_version_that_noted_more_can_be_read(tmp_path):
    trained(Scripted(), tmp_path / "run")
    path = tmp_path / "run" / "best.safetensors"
    tensors, facts = checkpoint.load(path)
    checkpoint.save(path, tensors, facts | {"right_at": 7})
    model, progress = Run.open(tmp_path / "run").best()
    assert (model.gloss, progress.solved_at) == (30, (1, RIGHT))


class Repairing(Scripted):
    """Never right by itself; the third repair succeeds."""

    repaired_every, refined_every = 5, None

    def __init__(self):
        super().__init__(penalty=0)
        self.seen = []

    def errors(self, model, backend):
        return 0 if model.steps >= 1000 else 9

    def repaired(self, model, score, backend):
        self.seen.append((model.steps, score.errors))
        return (Counter(1000), Score(0)) if len(self.seen) == 3 else (model, score)


def test_repairs_come_round_and_one_that_succeeds_ends_the_run(tmp_path):
    task = Repairing()
    progress = trained(task, tmp_path / "run")
    assert task.seen == [(5, 9), (10, 9), (15, 9)]
    assert (progress.step, progress.solved_at, progress.perfect) == (15, (1, 15), True)
    assert Run.open(tmp_path / "run").best()[0].steps == 1000
