"""What a training run shows while it goes on: a bar on a terminal, plain lines elsewhere, both on the error stream."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

import click

from grapheme.backend import Backend
from grapheme.training.loop import OnEpoch
from grapheme.training.metrics import Row
from grapheme.training.run import Progress, Run


@contextmanager
def shown(run: Run, backend: Backend, quiet: bool) -> Iterator[OnEpoch]:
    """Yield the function to call after each epoch."""
    if quiet:
        yield lambda row, progress: None
    elif sys.stderr.isatty():
        with _bar(run) as on_epoch:
            yield on_epoch
    else:
        click.echo(
            f"{run.folder}: {run.settings.experiment}, seed {run.settings.seed}, "
            f"{backend.name} on {backend.threads} threads",
            err=True,
        )
        yield _lines(run)


def polished(progress: Progress) -> str:
    """Return how often the model of this attempt was polished, and how weak the best one is."""
    return f"polished {progress.polishings} times: weakness {progress.least_weakness:g}"


def _lines(run: Run) -> OnEpoch:
    def on_epoch(row: Row, progress: Progress) -> None:
        if progress.polishings:
            click.echo(polished(progress), err=True)
        elif progress.epoch == 1 or progress.epoch % run.settings.every == 0 or progress.finished(run.settings):
            click.echo(
                f"attempt {row.attempt + 1} epoch {progress.epoch}/{run.settings.epochs} "
                f"soft {row.soft_loss:.4g} hard {row.hard_loss:g} accuracy {row.accuracy:.4f} "
                f"{row.epochs_per_second:.1f} epochs/s",
                err=True,
            )

    return on_epoch


@contextmanager
def _bar(run: Run) -> Iterator[OnEpoch]:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn, TimeRemainingColumn
    from rich.progress import Progress as Bar

    columns = (
        TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(), TimeRemainingColumn(),
        TextColumn("{task.fields[losses]}"),
    )  # fmt: skip
    with Bar(*columns, console=Console(stderr=True)) as bar:
        task = bar.add_task(run.settings.experiment, total=run.settings.epochs, losses="")

        def on_epoch(row: Row, progress: Progress) -> None:
            losses = (
                polished(progress)
                if progress.polishings
                else f"soft {row.soft_loss:.4g}  hard {row.hard_loss:g}  accuracy {row.accuracy:.1%}"
            )
            attempt = f" attempt {row.attempt + 1}" if run.settings.restarts else ""
            name, total = run.settings.experiment + attempt, max(run.settings.epochs, progress.epoch)
            bar.update(task, completed=progress.epoch, total=total, losses=losses, description=name)

        yield on_epoch
