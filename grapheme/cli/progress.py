"""What a training run shows while it goes on: a bar on a terminal, plain lines elsewhere, both on the error stream."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

import click

from grapheme.backend import Backend
from grapheme.training.experiment import AbstractExperiment
from grapheme.training.loop import OnStep
from grapheme.training.metrics import Row
from grapheme.training.progress import Progress
from grapheme.training.run import Run


@contextmanager
def shown(run: Run, experiment: AbstractExperiment, backend: Backend, quiet: bool) -> Iterator[OnStep]:
    """Yield the function to call after each step."""
    if quiet:
        yield lambda row, progress: None
    elif sys.stderr.isatty():
        with _bar(run, experiment.name) as on_step:
            yield on_step
    else:
        click.echo(
            f"{run.folder}: {experiment.name}, seed {run.settings.seed}, {backend.name} on {backend.threads} threads",
            err=True,
        )
        yield _lines(run)


def refining(progress: Progress) -> str:
    """Return how many rounds the solved model of this attempt was worked on, and the penalty of the best one."""
    return f"round {progress.rounds}: penalty {progress.least_penalty:g}"


def _lines(run: Run) -> OnStep:
    def on_step(row: Row, progress: Progress) -> None:
        if progress.rounds:
            click.echo(refining(progress), err=True)
        elif progress.step == 1 or progress.step % run.settings.every == 0 or progress.finished(run.settings):
            click.echo(
                f"attempt {row.attempt + 1} step {progress.step}/{run.settings.max_steps} "
                f"soft {row.soft_loss:.4g} hard {row.hard_loss:g} accuracy {row.accuracy:.4f} "
                f"{row.steps_per_second:.1f} steps/s",
                err=True,
            )

    return on_step


@contextmanager
def _bar(run: Run, title: str) -> Iterator[OnStep]:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn, TimeRemainingColumn
    from rich.progress import Progress as Bar

    columns = (
        TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(), TimeRemainingColumn(),
        TextColumn("{task.fields[losses]}"),
    )  # fmt: skip
    with Bar(*columns, console=Console(stderr=True)) as bar:
        task = bar.add_task(title, total=run.settings.max_steps, losses="")

        def on_step(row: Row, progress: Progress) -> None:
            losses = (
                refining(progress)
                if progress.rounds
                else f"soft {row.soft_loss:.4g}  hard {row.hard_loss:g}  accuracy {row.accuracy:.1%}"
            )
            attempt = f" attempt {row.attempt + 1}" if run.settings.restarts else ""
            name, total = title + attempt, max(run.settings.max_steps, progress.step)
            bar.update(task, completed=progress.step, total=total, losses=losses, description=name)

        yield on_step
