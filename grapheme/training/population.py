"""Many seeds of one experiment side by side: a process a run, as many at once as there are threads."""

from __future__ import annotations

import multiprocessing
import os
import signal
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from queue import Empty
from typing import Any, final

from grapheme.backend import Backend
from grapheme.backend.parallelism import Parallelism, thread_count
from grapheme.backend.selection import get_backend
from grapheme.errors import RunError
from grapheme.options import Options
from grapheme.training.interrupt import Interrupt
from grapheme.training.loop import Outcome, train
from grapheme.training.metrics import Row
from grapheme.training.progress import Progress
from grapheme.training.run import Run

POLL = 0.1
"""Seconds between two looks at what the processes have to tell."""

Watch = Callable[[int, Row, Progress], None]
"""Called with the place of a run among all, now and then while it is trained."""

Population = Callable[[Sequence[Run], Watch], list[Outcome | None]]
"""A backend's own way to do what ``train_population`` does."""


@final
@dataclass(frozen=True)
class _Channel:
    """What a process shares with its parent: news upwards, the wish to stop downwards."""

    news: Any
    stop: Any


@final
@dataclass(frozen=True)
class _Choice:
    """A backend by its name, for a process that must load it itself."""

    name: str
    parallelism: Parallelism
    options: Options

    def backend(self) -> Backend:
        """Return the backend on one thread."""
        return get_backend(self.name, 1, self.parallelism, self.options)


_channel: _Channel | None = None


def train_population(runs: Sequence[Run], backend: Backend, options: Options, watch: Watch) -> list[Outcome | None]:
    """Train new runs, each on one thread, and return how each ended; None for one that Ctrl-C kept from starting.

    The numbers of a run are those that it has when it is trained alone. ``options`` are those that the backend was
    loaded with, for processes load it again.
    """
    if backend.population is not None:
        return backend.population(runs, watch)
    workers = min(thread_count(backend.parallelism.threads), len(runs))
    alone = _Choice(backend.name, replace(backend.parallelism, threads=1), options)
    with _processes(workers) as (pool, channel), Interrupt() as interrupt:
        futures = [pool.submit(_train, place, run.folder, alone) for place, run in enumerate(runs)]
        while not all(future.done() for future in futures):
            _tell(channel, watch)
            if interrupt.pressed:
                channel.stop.set()
                for future in futures:
                    future.cancel()
        _tell(channel, watch)
    return [_outcome(future, run) for future, run in zip(futures, runs, strict=True)]


@contextmanager
def _processes(workers: int) -> Iterator[tuple[ProcessPoolExecutor, _Channel]]:
    """Start processes that load everything anew, since a fork of threads that compute is not safe."""
    context = multiprocessing.get_context("spawn")
    channel = _Channel(context.Queue(), context.Event())
    with ProcessPoolExecutor(workers, context, _begin, (channel,)) as pool:
        try:
            yield pool, channel
        except KeyboardInterrupt:  # the second one: nobody waits for a step to end, nor for runs that have not begun
            for process in multiprocessing.active_children():
                process.kill()
            raise


def _begin(channel: _Channel) -> None:
    """Prepare a process: Ctrl-C reaches the parent alone, which hands it on."""
    global _channel
    _channel = channel
    if hasattr(os, "setpgrp"):
        os.setpgrp()


def _train(place: int, folder: Path, choice: _Choice) -> Outcome:
    """Train a run in a process of its own."""
    assert _channel is not None
    channel, run, stopped = _channel, Run.open(folder), False

    def on_step(row: Row, progress: Progress) -> None:
        nonlocal stopped
        if progress.step % run.settings.every == 0 or progress.rounds:
            channel.news.put((place, row, replace(progress)))  # a copy: it is sent a little later
        if not stopped and (channel.stop.is_set() or _orphaned()):
            stopped = True
            signal.raise_signal(signal.SIGINT)

    outcome = train(run, run.experiment(), choice.backend(), on_step)
    if _orphaned():
        os._exit(1)  # there is nobody to hand it to, or to say that nothing is left to do
    return outcome


def _orphaned() -> bool:
    """Say whether the process that started this one is gone."""
    parent = multiprocessing.parent_process()
    return parent is not None and not parent.is_alive()


def _tell(channel: _Channel, watch: Watch) -> None:
    """Hand on what has come in, waiting a little if nothing has."""
    try:
        watch(*channel.news.get(timeout=POLL))
        while True:
            watch(*channel.news.get_nowait())
    except Empty:
        pass


def _outcome(future: Future[Outcome], run: Run) -> Outcome | None:
    if future.cancelled():
        return None
    try:
        return future.result()
    except BrokenProcessPool:
        raise RunError(
            f"A process that trained was killed; go on, run by run, as with: grapheme resume {run.folder}"
        ) from None
