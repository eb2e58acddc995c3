"""The one training loop: steps, attempts, checkpoints, early stopping; it knows no family of models."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import final

from grapheme.backend import Backend
from grapheme.models.model import AbstractModel, AbstractTrainer, Metrics, Score
from grapheme.timing import section
from grapheme.training.callbacks import AbstractCallback, Candidate
from grapheme.training.experiment import AbstractExperiment
from grapheme.training.interrupt import Interrupt
from grapheme.training.metrics import MetricsFile, Row
from grapheme.training.progress import Progress
from grapheme.training.run import Run, State

OnStep = Callable[[Row, Progress], None]
"""Called after each step, and after each round of a callback with the row of the last step."""


@dataclass(frozen=True)
class Outcome:
    """How a run ended."""

    progress: Progress
    steps_run: int
    seconds: float
    processor_seconds: float
    """Of all threads of this process: what ``seconds`` would be on one thread with nobody else on the machine."""
    interrupted: bool


def train(run: Run, experiment: AbstractExperiment, backend: Backend, on_step: OnStep, resume: bool = False) -> Outcome:
    """Train a new run, or go on where one was last saved, to the same numbers as if it had never stopped.

    Args:
        run: the folder; what it settles wins over what the experiment would do by itself.
        experiment: as ``run.experiment()`` returns it, or one that no plugin announces.
        backend: runs the kernels.
        on_step: is told of every step and round.
        resume: whether to go on.

    Returns:
        How it ended.
    """

    def trainer_of(attempt: int) -> AbstractTrainer:
        return experiment.trainer(run.settings.seed, attempt, run.settings.dtype, backend)

    callbacks = tuple(experiment.callbacks())
    state = run.restore(trainer_of, callbacks) if resume else State(trainer_of(0), Progress(), None)
    progress = state.progress
    with MetricsFile(run.metrics, progress.attempt, progress.step) as metrics:
        loop = _Loop(run, experiment, callbacks, state.trainer, progress, metrics, on_step, state.refined, metrics.last)
        return loop.run_to_end()


@final
@dataclass
class _Loop:
    """A run under way."""

    run: Run
    experiment: AbstractExperiment
    callbacks: Sequence[AbstractCallback]
    trainer: AbstractTrainer
    progress: Progress
    metrics: MetricsFile
    on_step: OnStep
    refined: AbstractModel | None
    """What has become of the model that this attempt made without errors."""
    row: Row | None
    """What the last step showed."""
    steps_run: int = 0

    def run_to_end(self) -> Outcome:
        """Train until the task is solved, the attempts are used up, or somebody presses Ctrl-C."""
        begun, used = time.perf_counter(), time.process_time()
        self._save()  # a run killed in its first step can be resumed too
        with Interrupt() as interrupt:
            while not self._finished() and not interrupt.pressed:
                if self.progress.attempt_over(self.run.settings):
                    self._next_attempt()
                elif self.refined is not None:
                    self._round(self.refined)
                else:
                    self._step()
            self._save()
        seconds, processor = time.perf_counter() - begun, time.process_time() - used
        return Outcome(self.progress, self.steps_run, seconds, processor, interrupt.pressed and not self._finished())

    def _finished(self) -> bool:
        return self.progress.finished(self.run.settings)

    def _save(self) -> None:
        """Write where the run is; what is finished needs no model to go on with."""
        refined = None if self._finished() else self.refined
        with section("checkpoint"):
            self.run.save_last(self.trainer, self.progress, refined, self.callbacks)

    def _round(self, model: AbstractModel) -> None:
        """Let a callback make a model without errors more robust; what comes of it is gone on with."""
        progress = self.progress
        callback, number = self._rounds()[progress.rounds]
        with section(callback.name):
            candidate = Candidate(model, Score(0, progress.least_penalty))
            found = callback.on_round(candidate, number, self.trainer.backend)
        self.refined = found.model
        progress.rounds, progress.rounds_left = progress.rounds + 1, (progress.rounds_left or 1) - 1
        self._save_if_best(found)
        self._save()
        if self.row is not None:
            self.on_step(self.row, progress)

    def _rounds(self) -> list[tuple[AbstractCallback, int]]:
        """Return who works in each round, and for the how-manieth time, counted from 0."""
        return [(callback, number) for callback in self.callbacks for number in range(callback.rounds)]

    def _save_if_best(self, candidate: Candidate) -> None:
        progress, best = self.progress, self.progress.best
        if best is None or candidate.score < best:
            errors, progress.least_penalty = candidate.score
            progress.least_errors = int(errors)  # numpy's own numbers, as a sum returns them, cannot be written as JSON
            self.run.save_best(candidate.model, progress)

    def _next_attempt(self) -> None:
        """Start again from fresh parameters."""
        settings, progress = self.run.settings, self.progress
        progress.next_attempt()
        self.refined = None
        self.trainer = self.experiment.trainer(settings.seed, progress.attempt, settings.dtype, self.trainer.backend)
        self._save()

    def _step(self) -> None:
        progress, begun = self.progress, time.perf_counter()
        with section("data"):
            batch = self.experiment.batch(self.run.settings.seed, progress.attempt, progress.step)
        metrics = self.trainer.train_on(batch)
        self._keep_best(metrics)
        row = self.row = Row(
            **asdict(metrics),
            attempt=progress.attempt,
            step=progress.step,
            steps_per_second=1 / (time.perf_counter() - begun),
        )
        self.metrics.add(row)
        progress.step += 1
        self.steps_run += 1
        if self.refined is not None or progress.step % self.run.settings.every == 0:
            self._save()
        self.on_step(row, progress)

    def _keep_best(self, metrics: Metrics) -> None:
        """Save the model if it is due for a look at the validation set and does better than the best so far."""
        if not self._due(metrics):
            return
        step, backend = self.progress.step, self.trainer.backend
        with section("validation"):
            score = self.experiment.score(self.trainer.model, backend)
        candidate = Candidate(self.trainer.model, score)
        for callback in self.callbacks:
            with section(callback.name):
                candidate = callback.on_validation(candidate, step, backend)
        if not self._promising(candidate.score):
            return
        for callback in self.callbacks:
            with section(callback.name):
                candidate = callback.on_promising(candidate, step, backend)
        if candidate.score.errors == 0:
            self.progress.solved_at = self.progress.solved_at or (self.progress.attempt + 1, step + 1)
        self._save_if_best(candidate)
        if candidate.score.errors == 0:
            self.refined, self.progress.rounds_left = candidate.model, len(self._rounds())

    def _promising(self, score: Score) -> bool:
        """Say whether a model is worth keeping."""
        progress = self.progress
        fewer = progress.fewest_errors is None or score.errors < progress.fewest_errors
        progress.fewest_errors = int(score.errors) if fewer else progress.fewest_errors
        return fewer or any(callback.revisits and callback.due(progress.step) for callback in self.callbacks)

    def _due(self, metrics: Metrics) -> bool:
        """Say whether it is time for a look at the validation set."""
        progress, every = self.progress, self.experiment.validate_every
        if every is not None:
            done = progress.step + 1
            return done % every == 0 or done == self.run.settings.max_steps
        if progress.least_hard_loss is not None and metrics.hard_loss > progress.least_hard_loss:
            return any(callback.due(progress.step) for callback in self.callbacks)
        progress.least_hard_loss = float(metrics.hard_loss)
        return True
