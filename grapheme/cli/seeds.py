"""What ``grapheme train NAME --seeds N`` shows: how each seed comes along, and which were solved."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import click

from grapheme.backend import Backend
from grapheme.cli.progress import refining
from grapheme.cli.table import print_table
from grapheme.options import Options
from grapheme.training.experiment import AbstractExperiment
from grapheme.training.loop import Outcome
from grapheme.training.metrics import Row
from grapheme.training.population import Watch, train_population
from grapheme.training.progress import Progress
from grapheme.training.run import Run

COLUMNS = {
    "seed": "seed",
    "solved": "solved",
    "{mistakes}": "errors",
    "penalty": "penalty",
    "attempts": "attempts",
    "solved in: at": "solved_at",
    "steps": "steps",
    "seconds": "seconds",
    "of the processor": "processor_seconds",
    "run": "run",
}
"""The headings of the table, and which fact of a run stands below."""


def train_seeds(
    runs: Sequence[Run],
    experiment: AbstractExperiment,
    backend: Backend,
    options: Options,
    quiet: bool,
    as_json: bool,
) -> list[Outcome | None]:
    """Train runs side by side and print the table of success."""
    with _shown(runs, quiet or as_json) as watch:
        outcomes = train_population(runs, backend, options, watch)
    if as_json:
        click.echo(json.dumps([_facts(run, outcome) for run, outcome in zip(runs, outcomes, strict=True)]))
    elif not quiet:
        _print(runs, outcomes, experiment.mistakes)
    return outcomes


def _facts(run: Run, outcome: Outcome | None) -> dict[str, object]:
    """Return how the run of a seed ended."""
    progress = outcome.progress if outcome else Progress()
    return {
        "run": str(run.folder),
        "seed": run.settings.seed,
        "solved": progress.solved,
        "errors": progress.least_errors,
        "solved_at": progress.solved_at,
        "penalty": progress.known_penalty,
        "attempts": progress.attempt + 1 if outcome else 0,
        "steps": outcome.steps_run if outcome else 0,
        "seconds": round(outcome.seconds, 1) if outcome else 0.0,
        "processor_seconds": round(outcome.processor_seconds, 1) if outcome else 0.0,
        "interrupted": outcome is None or outcome.interrupted,
    }


def _print(runs: Sequence[Run], outcomes: Sequence[Outcome | None], mistakes: str) -> None:
    facts = [_facts(run, outcome) for run, outcome in zip(runs, outcomes, strict=True)]
    print_table(
        [heading.format(mistakes=mistakes) for heading in COLUMNS],
        [[_text(row[key]) for key in COLUMNS.values()] for row in facts],
    )
    solved = sum(bool(row["solved"]) for row in facts)
    slowest = max((outcome.seconds for outcome in outcomes if outcome), default=0.0)
    click.echo(f"{solved} of {len(runs)} seeds solved; the longest took {slowest:.1f} s on one thread.")
    stopped = [row["run"] for row in facts if row["interrupted"]]
    if stopped:
        click.echo(f"Stopped; go on, run by run, as with: grapheme resume {stopped[0]}")


def _text(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, (tuple, list)):
        return ": ".join(map(str, value))
    if isinstance(value, float):
        return f"{value:g}"
    return "" if value is None else str(value)


@contextmanager
def _shown(runs: Sequence[Run], quiet: bool) -> Iterator[Watch]:
    """Yield what to call with news of a run: bars on a terminal, lines elsewhere."""
    if quiet:
        yield lambda place, row, progress: None
    elif sys.stderr.isatty():
        with _bars(runs) as watch:
            yield watch
    else:
        yield lambda place, row, progress: click.echo(_line(runs[place], row, progress), err=True)


def _line(run: Run, row: Row, progress: Progress) -> str:
    if progress.rounds:
        return f"seed {run.settings.seed} {refining(progress)}"
    return (
        f"seed {run.settings.seed} attempt {row.attempt + 1} step {progress.step}/{run.settings.max_steps} "
        f"soft {row.soft_loss:.4g} hard {row.hard_loss:g}"
    )


@contextmanager
def _bars(runs: Sequence[Run]) -> Iterator[Watch]:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn
    from rich.progress import Progress as Bars

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Bars(*columns, console=Console(stderr=True)) as bars:
        tasks = {}

        def watch(place: int, row: Row, progress: Progress) -> None:
            settings = runs[place].settings
            if place not in tasks:
                tasks[place] = bars.add_task(f"seed {settings.seed}", total=settings.max_steps)
            state = refining(progress) if progress.rounds else f"attempt {row.attempt + 1} hard {row.hard_loss:g}"
            text = f"seed {settings.seed} {state}"
            total = max(settings.max_steps, progress.step)
            bars.update(tasks[place], completed=progress.step, total=total, description=text)

        yield watch
