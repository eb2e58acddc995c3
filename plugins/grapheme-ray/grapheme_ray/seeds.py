"""A population of seeds: every worker trains one run after another, a stretch of steps at a time.

After each stretch the files of a run come home. So a run is worked on by any worker, can be watched, and can be
resumed whatever happens.
"""

from __future__ import annotations

import tempfile
import time
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from grapheme.backend import Backend
from grapheme.files import write_whole
from grapheme.training.interrupt import Interrupt
from grapheme.training.loop import Outcome, train
from grapheme.training.metrics import Row
from grapheme.training.population import Watch
from grapheme.training.progress import Progress
from grapheme.training.run import LAST, Run, Settings
from grapheme_ray.team import Call, Team, call

Files = dict[str, bytes]


@dataclass(frozen=True, eq=False)
class Stretch:
    """How a stretch of a run went, its last step if it had any, and the files of the run's folder after it."""

    outcome: Outcome
    row: Row | None
    files: Files


def train_runs(team: Team, runs: Sequence[Run], watch: Watch) -> list[Outcome | None]:
    """Train new runs and return how each ended; None for one that Ctrl-C kept from starting.

    The numbers of a run are those that it has when the inner backend trains it alone.
    """
    outcomes: list[Outcome | None] = [None] * len(runs)
    waiting = deque((place, _next(run)) for place, run in enumerate(runs))
    with Interrupt() as interrupt:
        for place, stretch in team.each(waiting):
            _write(stretch.files, runs[place].folder)
            outcomes[place] = _joined(outcomes[place], stretch.outcome)
            if stretch.row is not None:
                watch(place, stretch.row, stretch.outcome.progress)
            if interrupt.pressed:
                waiting.clear()
            elif stretch.outcome.interrupted:
                waiting.appendleft((place, _next(runs[place])))
    return outcomes


def train_stretch(backend: Backend, nothing: None, files: Files) -> Stretch:
    """Train a run, given by its files, until its next checkpoint or its end; in a worker."""
    with tempfile.TemporaryDirectory(prefix="grapheme-ray-") as folder:
        _write(files, Path(folder))
        run = Run.open(Path(folder))
        watcher = _Watcher(run.settings)
        try:
            outcome = train(run, run.experiment(), backend, watcher, resume=LAST in files)
        except _Enough as enough:
            outcome = enough.outcome
        return Stretch(outcome, watcher.row, _read(run.folder))


class _Enough(Exception):  # noqa: N818 - it ends a stretch, nothing has gone wrong
    """Ends a stretch at a checkpoint."""

    def __init__(self, outcome: Outcome) -> None:
        super().__init__()
        self.outcome = outcome


class _Watcher:
    """Counts steps, and stops at a checkpoint unless the run ends there anyway."""

    row: Row | None = None

    def __init__(self, settings: Settings) -> None:
        self._settings, self._steps = settings, 0
        self._begun = time.perf_counter(), time.process_time()

    def __call__(self, row: Row, progress: Progress) -> None:
        self._steps, self.row = self._steps + (not progress.rounds), row
        saved = progress.rounds or progress.step % self._settings.every == 0
        if saved and not progress.finished(self._settings):
            clock, processor = self._begun
            seconds = time.perf_counter() - clock, time.process_time() - processor
            raise _Enough(Outcome(replace(progress), self._steps, *seconds, interrupted=True))


def _next(run: Run) -> Call[Stretch]:
    return call(train_stretch, None, _read(run.folder))


def _joined(before: Outcome | None, after: Outcome) -> Outcome:
    """Return how two stretches of a run went together."""
    if before is None:
        return after
    return replace(
        after,
        steps_run=before.steps_run + after.steps_run,
        seconds=before.seconds + after.seconds,
        processor_seconds=before.processor_seconds + after.processor_seconds,
    )


def _read(folder: Path) -> Files:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def _write(files: Files, folder: Path) -> None:
    for name, content in files.items():
        write_whole(folder / name, content)
