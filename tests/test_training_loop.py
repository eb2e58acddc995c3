"""What the training loop does with a model that makes no error but is not robust, told by models that only count."""

from __future__ import annotations

import math

import numpy as np
import pytest

import grapheme
from grapheme.models import checkpoint
from grapheme.models.family import ModelSpec
from grapheme.models.model import AbstractModel, AbstractTrainer, Metrics, Score
from grapheme.plugins import plugins
from grapheme.training.callbacks import AbstractCallback, Candidate
from grapheme.training.experiment import AbstractExperiment
from grapheme.training.loop import train
from grapheme.training.progress import FURTHER_ATTEMPTS, Progress
from grapheme.training.run import REFINED, Run, Settings

MAX_STEPS, SOLVED, ROUNDS = 20, 7, 4


class Counter(AbstractModel):
    """A model that knows how often it was trained, and how robust it was made."""

    kind = "counter"

    def __init__(self, steps=0, strength=0):
        self.steps, self.strength = steps, strength

    def tensors(self):
        return {"counts": np.array([self.steps, self.strength])}

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


class Strengthen(AbstractCallback):
    """Adds ``gains(attempt, round)`` to the strength of a model in each round."""

    name, every, revisits = "strengthening", 1, True

    def __init__(self, experiment, rounds):
        self.experiment, self.rounds = experiment, rounds

    def on_round(self, candidate, number, backend):
        model, attempt = candidate.model, self.experiment.attempt
        self.experiment.seen.append((attempt, number, model.strength))
        other = Counter(model.steps, model.strength + self.experiment.gains(attempt, number))
        return Candidate(other, self.experiment.score(other, backend))


class Scripted(AbstractExperiment):
    """Solved after ``SOLVED`` steps, with a penalty that strength makes smaller."""

    name, max_steps = "scripted", MAX_STEPS

    def __init__(self, gains=lambda attempt, number: 10, penalty=30, restarts=0, rounds=ROUNDS):
        self.gains, self.penalty, self.restarts, self.rounds = gains, penalty, restarts, rounds
        self.attempt, self.seen = 0, []

    def trainer(self, seed, attempt, dtype, backend):
        self.attempt = attempt
        return CountingTrainer(Counter(), backend)

    def batch(self, seed, attempt, step):
        return None

    def errors(self, model):
        return 0 if model.steps >= SOLVED else 9

    def score(self, model, backend):
        errors = self.errors(model)
        return Score(errors, math.inf if errors else max(0, self.penalty - model.strength))

    def callbacks(self):
        return [Strengthen(self, self.rounds)]


class Family:
    """A plugin that brings the models that count."""

    @staticmethod
    @grapheme.hookimpl
    def grapheme_models():
        yield ModelSpec(kind="counter", summary="counts", load=lambda tensors: Counter(*tensors["counts"].tolist()))


@pytest.fixture(autouse=True)
def counters():
    plugins().manager.register(Family, name="counters")
    yield
    plugins().manager.unregister(name="counters")


class Stopped(Exception):  # noqa: N818
    """The run was killed."""


def trained(task, folder, resume=False, on_step=lambda row, progress: None, every=1):
    settings = Settings("scripted", 0, "float32", MAX_STEPS, task.restarts, every)
    run = Run.open(folder) if resume else Run.create(folder, settings)
    return train(run, task, grapheme.get_backend("numpy"), on_step, resume).progress


def checkpoints(folder):
    """What is saved in a run's folder; the order of facts in a file is not always the same."""
    loaded = {path.name: checkpoint.load(path) for path in folder.glob("*.safetensors")}
    return {
        name: ({key: array.tolist() for key, array in saved.tensors.items()}, saved.facts)
        for name, saved in loaded.items()
    }


def test_callbacks_work_on_a_solved_model_until_it_is_robust(tmp_path):
    task = Scripted()
    progress = trained(task, tmp_path / "run")
    assert task.seen == [(0, 0, 0), (0, 1, 10), (0, 2, 20)]
    assert (progress.solved_at, progress.step, progress.rounds) == ((1, SOLVED), SOLVED, 3)
    assert progress.robust
    assert Run.open(tmp_path / "run").best()[0].strength == 30


def test_a_round_goes_on_from_what_the_last_one_made_and_the_best_is_kept(tmp_path):
    """The first gains ten, the second loses five, the others nothing."""
    task = Scripted(lambda attempt, number: (10, -5, 0, 0)[number])
    progress = trained(task, tmp_path / "run")
    assert [strength for _, _, strength in task.seen] == [0, 10, 5, 5]
    assert (progress.least_penalty, Run.open(tmp_path / "run").best()[0].strength) == (20, 10)


def test_a_model_that_does_not_get_robust_is_given_up_for_other_wires_and_the_best_is_kept(tmp_path):
    task = Scripted(lambda attempt, number: attempt + 1, restarts=9)
    progress = trained(task, tmp_path / "run")
    assert (progress.attempt, progress.solved_at) == (FURTHER_ATTEMPTS, (1, SOLVED))
    assert progress.least_penalty == 30 - ROUNDS * (FURTHER_ATTEMPTS + 1)
    attempts = [attempt for attempt, _, _ in task.seen]
    assert attempts == [attempt for attempt in range(FURTHER_ATTEMPTS + 1) for _ in range(ROUNDS)]


def test_a_less_robust_second_attempt_does_not_replace_the_first(tmp_path):
    progress = trained(Scripted(lambda attempt, number: -attempt, restarts=9), tmp_path / "run")
    assert (progress.attempt, progress.least_penalty) == (FURTHER_ATTEMPTS, 30)
    assert Run.open(tmp_path / "run").best()[1].attempt == 0


def test_few_attempts_follow_one_that_solved_the_task(tmp_path):
    """The first solves it but is not robust, the others never solve it."""

    class Once(Scripted):
        def errors(self, model):
            return super().errors(model) if self.attempt == 0 else 9

    progress = trained(Once(lambda attempt, number: 0, restarts=9), tmp_path / "run")
    assert (progress.attempt, progress.step) == (FURTHER_ATTEMPTS, MAX_STEPS)
    assert (progress.least_errors, progress.least_penalty) == (0, 30)


def test_a_task_without_robustness_tests_ends_as_soon_as_it_is_solved(tmp_path):
    task = Scripted(penalty=0)
    progress = trained(task, tmp_path / "run")
    assert (progress.attempt, progress.step, progress.robust, task.seen) == (0, SOLVED, True, [])


@pytest.mark.parametrize(("step", "rounds"), [(SOLVED - 1, 0), *((SOLVED, n) for n in (0, 1, 3, ROUNDS))])
@pytest.mark.parametrize("attempt", [0, 1])
def test_a_run_that_was_killed_goes_on_to_the_same_files(tmp_path, step, rounds, attempt):
    def gains(attempt, number):
        return (5, -3, 1, 2)[number] + 2 * attempt

    def kill(row, progress):
        if (progress.attempt, progress.step, progress.rounds) == (attempt, step, rounds):
            raise Stopped

    whole = trained(Scripted(gains, restarts=2), tmp_path / "whole")
    with pytest.raises(Stopped):
        trained(Scripted(gains, restarts=2), tmp_path / "killed", on_step=kill)
    assert trained(Scripted(gains, restarts=2), tmp_path / "killed", resume=True) == whole
    assert checkpoints(tmp_path / "killed") == checkpoints(tmp_path / "whole")


@pytest.mark.parametrize(
    ("cut", "rounds", "next_round"),
    [
        ("save_best", 0, (0, 0, 0)),
        ("save_best", 2, (0, 1, 5)),
        ("save_last", 0, (0, 0, 0)),
        ("save_last", 2, (0, 1, 5)),
        ("save_last", 4, (0, 3, 15)),
    ],
)
def test_a_run_killed_between_two_files_goes_on_to_the_same_files(tmp_path, monkeypatch, cut, rounds, next_round):
    def gains(attempt, number):
        return 5

    whole = trained(Scripted(gains), tmp_path / "whole")
    save = getattr(Run, cut)

    def kill(self, model, progress, *more):
        if progress.solved and progress.rounds == rounds:
            raise Stopped
        save(self, model, progress, *more)

    with monkeypatch.context() as patched:
        patched.setattr(Run, cut, kill)
        with pytest.raises(Stopped):
            trained(Scripted(gains), tmp_path / "killed")
    rest = Scripted(gains)
    assert trained(rest, tmp_path / "killed", resume=True) == whole
    assert rest.seen[0] == next_round
    assert checkpoints(tmp_path / "killed") == checkpoints(tmp_path / "whole")


@pytest.mark.parametrize("rounds", [0, 1, 2])
def test_a_run_killed_long_after_the_last_checkpoint_of_its_training_goes_on_to_the_same_files(tmp_path, rounds):
    """Checkpoints are due every five steps, and the task is solved after seven."""

    def kill(row, progress):
        if (progress.step, progress.rounds) == (SOLVED, rounds):
            raise Stopped

    whole = trained(Scripted(), tmp_path / "whole", every=5)
    with pytest.raises(Stopped):
        trained(Scripted(), tmp_path / "killed", on_step=kill, every=5)
    assert trained(Scripted(), tmp_path / "killed", resume=True) == whole
    assert checkpoints(tmp_path / "killed") == checkpoints(tmp_path / "whole")


def test_what_was_refined_in_an_earlier_attempt_is_over(tmp_path, monkeypatch):
    """Killed as soon as the second attempt was saved."""
    save = Run.save_last

    def kill(self, trainer, progress, *more):
        save(self, trainer, progress, *more)
        if (progress.attempt, progress.step) == (1, 0):
            raise Stopped

    with monkeypatch.context() as patched:
        patched.setattr(Run, "save_last", kill)
        with pytest.raises(Stopped):
            trained(Scripted(lambda attempt, number: 1, restarts=1), tmp_path / "run")
    rest = Scripted(lambda attempt, number: 1, restarts=1)
    assert trained(rest, tmp_path / "run", resume=True).attempt == 1
    assert rest.seen == [(1, number, number) for number in range(ROUNDS)]


def test_a_model_that_no_callback_works_on_ends_the_run(tmp_path):
    task = Scripted(restarts=9, rounds=0)
    progress = trained(task, tmp_path / "run")
    assert (progress.attempt, progress.step, progress.solved, progress.robust) == (0, SOLVED, True, False)
    assert task.seen == []


def test_the_refined_model_is_kept_while_rounds_go_on_and_not_afterwards(tmp_path):
    seen = []

    def look(row, progress):
        tensors = checkpoint.load(tmp_path / "run" / "last.safetensors").tensors
        seen.append(any(name.startswith(REFINED) for name in tensors))

    trained(Scripted(), tmp_path / "run", on_step=look)
    assert seen == [False] * (SOLVED - 1) + [True] * 3 + [False], "three rounds follow the step that solved the task"
    assert list(checkpoint.load(tmp_path / "run" / "last.safetensors").tensors) == ["counts"]


def test_an_attempt_that_was_never_solved_has_all_its_steps():
    settings = Settings("scripted", 0, "float32", MAX_STEPS, 1, 1)
    assert not Progress(step=MAX_STEPS - 1).attempt_over(settings)
    assert Progress(step=MAX_STEPS).attempt_over(settings)
    assert not Progress(step=MAX_STEPS).finished(settings)
    assert Progress(attempt=1, step=MAX_STEPS).finished(settings)


def test_a_run_of_another_version_that_noted_more_can_be_read(tmp_path):
    trained(Scripted(), tmp_path / "run")
    path = tmp_path / "run" / "best.safetensors"
    saved = checkpoint.load(path)
    checkpoint.save(path, saved.tensors, saved.kind, saved.facts | {"right_at": 7})
    model, progress = Run.open(tmp_path / "run").best()
    assert (model.strength, progress.solved_at) == (30, (1, SOLVED))


class Repair(AbstractCallback):
    """Every five steps; the third time it succeeds."""

    name, every = "repair", 5

    def __init__(self, seen):
        self.seen = seen

    def on_validation(self, candidate, step, backend):
        if not self.due(step):
            return candidate
        self.seen.append((candidate.model.steps, candidate.score.errors))
        return Candidate(Counter(1000), Score(0)) if len(self.seen) == 3 else candidate


class Repairing(Scripted):
    """Never solved by training alone."""

    def errors(self, model):
        return 0 if model.steps >= 1000 else 9

    def callbacks(self):
        return [Repair(self.seen)]


def test_repairs_come_round_and_one_that_succeeds_ends_the_run(tmp_path):
    task = Repairing(penalty=0)
    progress = trained(task, tmp_path / "run")
    assert task.seen == [(5, 9), (10, 9), (15, 9)]
    assert (progress.step, progress.solved_at, progress.robust) == (15, (1, 15), True)
    assert Run.open(tmp_path / "run").best()[0].steps == 1000


class Remembering(AbstractCallback):
    """Notes every step that it is asked about, in a list that it keeps in the checkpoint."""

    name, every = "remembering", 1

    def __init__(self):
        self.steps = []

    def on_validation(self, candidate, step, backend):
        self.steps.append(step)
        return candidate

    def state(self):
        return {"steps": self.steps}

    def restore(self, state):
        self.steps = list(state["steps"])


def test_what_a_callback_remembers_is_there_again_after_a_kill(tmp_path):
    def kill(row, progress):
        if progress.step == 3:
            raise Stopped

    class Watched(Scripted):
        def __init__(self):
            super().__init__(penalty=0)
            self.memory = Remembering()

        def callbacks(self):
            return [self.memory]

    with pytest.raises(Stopped):
        trained(Watched(), tmp_path / "run", on_step=kill)
    rest = Watched()
    trained(rest, tmp_path / "run", resume=True)
    assert rest.memory.steps == list(range(SOLVED))


def test_callbacks_take_part_in_their_order(tmp_path):
    """Each adds one to what the one before it returned, first at validation, then at what is promising."""
    calls = []

    class Adds(AbstractCallback):
        def __init__(self, name):
            self.name = name

        def on_validation(self, candidate, step, backend):
            calls.append((step, self.name, "validation", candidate.model.strength))
            return Candidate(Counter(candidate.model.steps, candidate.model.strength + 1), candidate.score)

        def on_promising(self, candidate, step, backend):
            calls.append((step, self.name, "promising", candidate.model.strength))
            return Candidate(Counter(candidate.model.steps, candidate.model.strength + 1), candidate.score)

    class Several(Scripted):
        def callbacks(self):
            return [Adds("one"), Adds("two")]

    trained(Several(penalty=0), tmp_path / "run")
    expected = [("one", "validation", 0), ("two", "validation", 1), ("one", "promising", 2), ("two", "promising", 3)]
    assert [call[1:] for call in calls if call[0] == 0] == expected
    assert [call[1:] for call in calls if call[0] == SOLVED - 1] == expected
    assert {call[2] for call in calls if 0 < call[0] < SOLVED - 1} == {"validation"}, "no fewer errors than before"
    assert Run.open(tmp_path / "run").best()[0].strength == 4
