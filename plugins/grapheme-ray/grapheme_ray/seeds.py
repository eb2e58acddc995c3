"""A population of seeds: every worker trains one run after another, a stretch of epochs at a time.

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
from grapheme.training.files import write_whole
from grapheme.training.interrupt import Interrupt
from grapheme.training.loop import Outcome, train
from grapheme.training.metrics import Row
from grapheme.training.population import Watch
from grapheme.training.run import Progress, Run, Settings
from grapheme_ray.team import Call, Team

Files = dict[str, bytes]


@dataclass(frozen=True, eq=False)
class Stretch:
    """How far a run has come, and the files of its folder."""

    files: Files
    progress: Progress
    row: Row | None
    """The last epoch, if there was one."""
    epochs: int
    seconds: float
    finished: bool


def train_runs(team: Team, runs: Sequence[Run], watch: Watch) -> list[Outcome | None]:
    """Train new runs and return how each ended; None for one that Ctrl-C kept from starting.

    The numbers of a run are those that it has when the inner backend trains it alone.
    """
    outcomes: list[Outcome | None] = [None] * len(runs)
    waiting = deque((place, _next(run)) for place, run in enumerate(runs))
    with Interrupt() as interrupt:
        for place, stretch in team.each(waiting):
            _write(stretch.files, runs[place].folder)
            outcomes[place] = _joined(outcomes[place], stretch)
            if stretch.row is not None:
                watch(place, stretch.row, stretch.progress)
            if interrupt.pressed:
                waiting.clear()
            elif not stretch.finished:
                waiting.appendleft((place, _next(runs[place])))
    return outcomes


def train_stretch(backend: Backend, nothing: None, files: Files) -> Stretch:
    """Train a run, given by its files, until its next checkpoint or its end; in a worker."""
    with tempfile.TemporaryDirectory(prefix="grapheme-ray-") as folder:
        _write(files, Path(folder))
        run, begun = Run.open(Path(folder)), time.perf_counter()
        watcher = _Watcher(run.settings)
        try:
            progress = train(run, backend, watcher, resume="last.safetensors" in files).progress
            finished = True
        except _Enough as enough:
            progress, finished = enough.progress, False
        seconds = time.perf_counter() - begun
        return Stretch(_read(run.folder), progress, watcher.row, watcher.epochs, seconds, finished)


class _Enough(Exception):  # noqa: N818 - it ends a stretch, nothing has gone wrong
    """Ends a stretch at a checkpoint."""

    def __init__(self, progress: Progress) -> None:
        super().__init__()
        self.progress = progress


class _Watcher:
    """Counts epochs, and stops at a checkpoint unless the run ends there anyway."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self.epochs, self.row = 0, None

    row: Row | None

    def __call__(self, row: Row, progress: Progress) -> None:
        self.epochs, self.row = self.epochs + 1, row
        last = progress.attempt == self._settings.restarts and progress.epoch == self._settings.epochs
        if progress.epoch % self._settings.every == 0 and not last and not progress.solved:
            raise _Enough(replace(progress))


def _next(run: Run) -> Call:
    return Call(train_stretch, None, (_read(run.folder),))


def _joined(before: Outcome | None, stretch: Stretch) -> Outcome:
    """Return how a run has gone so far."""
    epochs, seconds = (before.epochs_run, before.seconds) if before else (0, 0.0)
    return Outcome(stretch.progress, epochs + stretch.epochs, seconds + stretch.seconds, not stretch.finished)


def _read(folder: Path) -> Files:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def _write(files: Files, folder: Path) -> None:
    for name, content in files.items():
        write_whole(folder / name, content)
