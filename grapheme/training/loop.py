"""The one training loop: epochs, attempts, checkpoints, early stop."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import final

from grapheme.backend import Backend
from grapheme.experiments.registry import experiment
from grapheme.models.model import AbstractModel, AbstractTrainer, Metrics, Score
from grapheme.timing import section
from grapheme.training.experiment import AbstractExperiment
from grapheme.training.interrupt import Interrupt
from grapheme.training.metrics import MetricsFile, Row
from grapheme.training.run import Progress, Run

OnEpoch = Callable[[Row, Progress], None]
"""Called after each epoch, and after each polishing of a right but weak model with the row of the last epoch."""


@dataclass(frozen=True)
class Outcome:
    """How a run ended."""

    progress: Progress
    epochs_run: int
    seconds: float
    processor_seconds: float
    """Of all threads of this process: what ``seconds`` would be on one thread with nobody else on the machine."""
    interrupted: bool


def train(run: Run, backend: Backend, on_epoch: OnEpoch, resume: bool = False) -> Outcome:
    """Train a new run, or go on where one was last saved, to the same numbers as if it had never stopped."""
    task = experiment(run.settings.experiment, run.folder).with_recipe(run.settings.recipe)
    task = task if run.settings.loss is None else task.with_loss(run.settings.loss)
    return train_task(run, task.with_epochs(run.settings.epochs), backend, on_epoch, resume)


def train_task(
    run: Run, task: AbstractExperiment, backend: Backend, on_epoch: OnEpoch, resume: bool = False
) -> Outcome:
    """Train a run of an experiment that need not be one of those known by name."""

    def trainer_of(attempt: int) -> AbstractTrainer:
        return task.trainer(run.settings.seed, attempt, run.settings.dtype, backend)

    trainer, progress = run.restore(trainer_of) if resume else (trainer_of(0), Progress())
    model, progress = (run.polished_in(progress.attempt) if resume else None) or (None, progress)
    with MetricsFile(run.metrics, progress.attempt, progress.epoch) as metrics:
        return _Loop(run, task, trainer, progress, metrics, on_epoch, model, metrics.last).run_to_end()


@final
@dataclass
class _Loop:
    """A run under way."""

    run: Run
    task: AbstractExperiment
    trainer: AbstractTrainer
    progress: Progress
    metrics: MetricsFile
    on_epoch: OnEpoch
    polished: AbstractModel | None
    """What has become of the model that this attempt made without errors."""
    row: Row | None
    """What the last epoch showed."""
    epochs_run: int = 0

    def run_to_end(self) -> Outcome:
        """Train until the task is solved, the attempts are used up, or somebody presses Ctrl-C."""
        begun, used = time.perf_counter(), time.process_time()
        self.run.save_last(self.trainer, self.progress)  # a run killed in its first epoch can be resumed too
        with Interrupt() as interrupt:
            while not self._finished() and not interrupt.pressed:
                if self.progress.attempt_over(self.run.settings):
                    self._next_attempt()
                elif self.polished is not None:
                    self._polish(self.polished)
                else:
                    self._epoch()
            self.run.save_last(self.trainer, self.progress)
        if self._finished():
            self.run.forget_polished()
        seconds, processor = time.perf_counter() - begun, time.process_time() - used
        return Outcome(self.progress, self.epochs_run, seconds, processor, interrupt.pressed and not self._finished())

    def _finished(self) -> bool:
        return self.progress.finished(self.run.settings)

    def _polish(self, model: AbstractModel) -> None:
        """Try to make a right but weak model sturdier; what comes of it is gone on with, the best is kept."""
        progress = self.progress
        with section("polishing"):
            self.polished, score = self.task.polished(model, progress.polishings, self.trainer.backend)
        progress.polishings, progress.polishings_left = progress.polishings + 1, (progress.polishings_left or 1) - 1
        self._save_if_best(self.polished, score)
        self.run.save_polished(self.polished, progress)
        if self.row is not None:
            self.on_epoch(self.row, progress)

    def _save_if_best(self, model: AbstractModel, score: Score) -> None:
        progress = self.progress
        if progress.least_errors is None or score < (progress.least_errors, progress.least_weakness):
            progress.least_errors, progress.least_weakness = score
            self.run.save_best(model, progress)

    def _next_attempt(self) -> None:
        """Start again from fresh wires."""
        settings, progress = self.run.settings, self.progress
        progress.next_attempt()
        self.polished = None
        self.trainer = self.task.trainer(settings.seed, progress.attempt, settings.dtype, self.trainer.backend)
        self.run.save_last(self.trainer, progress)
        self.run.forget_polished()

    def _epoch(self) -> None:
        progress, begun = self.progress, time.perf_counter()
        batch = self.task.batch(self.run.settings.seed, progress.attempt, progress.epoch)
        metrics = self.trainer.train_on(batch)
        self._keep_best(metrics)
        row = self.row = Row(
            **asdict(metrics),
            attempt=progress.attempt,
            epoch=progress.epoch,
            epochs_per_second=1 / (time.perf_counter() - begun),
        )
        self.metrics.add(row)
        progress.epoch += 1
        self.epochs_run += 1
        to_polish = self.polished is not None and not self._finished()
        if to_polish or progress.epoch % self.run.settings.every == 0:
            with section("checkpoint"):
                if self.polished is not None and to_polish:  # before the other, which says that it is there
                    self.run.save_polished(self.polished, progress)
                self.run.save_last(self.trainer, progress)
        self.on_epoch(row, progress)

    def _keep_best(self, metrics: Metrics) -> None:
        """Save the model if it is due for a look at the validation set and does better than the best so far."""
        if not self._due(metrics):
            return
        with section("validation"):
            score = self.task.score(self.trainer.model, self.trainer.backend)
        model: AbstractModel = self.trainer.model
        if self._comes_round(self.task.repaired_every):
            with section("repair"):
                model, score = self.task.repaired(model, score, self.trainer.backend)
        if not self._promising(score):
            return
        with section("refinement"):
            model, score = self.task.refined(model, score, self.trainer.backend)
        progress = self.progress
        if score.errors == 0:
            progress.solved_at = progress.solved_at or (progress.attempt + 1, progress.epoch + 1)
        self._save_if_best(model, score)
        if score.errors == 0:
            self.polished, progress.polishings_left = model, self.task.polishings(self.trainer.backend)

    def _promising(self, score: Score) -> bool:
        """Say whether a model is worth refining."""
        progress = self.progress
        fewer = progress.fewest_errors is None or score.errors < progress.fewest_errors
        progress.fewest_errors = score.errors if fewer else progress.fewest_errors
        return fewer or self._comes_round(self.task.refined_every)

    def _comes_round(self, every: int | None) -> bool:
        """Say whether it is time for what is done in every so many epochs, if ever."""
        return every is not None and (self.progress.epoch + 1) % every == 0

    def _due(self, metrics: Metrics) -> bool:
        """Say whether it is time for a look at the validation set."""
        progress, every = self.progress, self.task.checked_every
        if every is not None:
            done = progress.epoch + 1
            return done % every == 0 or done == self.run.settings.epochs
        if progress.least_hard_loss is not None and metrics.hard_loss > progress.least_hard_loss:
            return any(map(self._comes_round, (self.task.refined_every, self.task.repaired_every)))
        progress.least_hard_loss = metrics.hard_loss
        return True
