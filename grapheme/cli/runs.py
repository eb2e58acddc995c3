"""``grapheme runs``: what was trained so far, side by side."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click

from grapheme.cli.table import print_table

COLUMNS = ("run", "experiment", "seed", "options", "solved", "errors", "penalty", "steps", "accuracy")


@click.command("runs")
@click.argument("folders", nargs=-1, type=click.Path(path_type=Path))
@click.option("--json", "as_json", is_flag=True, help="Print the table as JSON.")
def runs_command(folders: tuple[Path, ...], as_json: bool) -> None:
    """List and compare runs: those in FOLDERS, or all below 'runs'.

    A folder is a run, or holds runs. One that cannot be read is said so on the error stream, and the others follow.

    \b
    grapheme runs
    grapheme runs runs/life-0 runs/life-1 --json
    """
    rows = []
    for folder in _found(folders or (Path("runs"),)):
        try:
            rows.append(_row(folder))
        except Exception as error:
            if not _meant_for_users(error):
                raise
            click.echo(f"{folder}: {error}", err=True)
    if as_json:
        click.echo(json.dumps(rows, indent=2))
    elif rows:
        print_table(COLUMNS, [[_text(row[column]) for column in COLUMNS] for row in rows])
    else:
        click.echo("There are no runs here; start one with: grapheme train life", err=True)


def _found(folders: tuple[Path, ...]) -> list[Path]:
    """Return the runs among folders and just below them."""
    found: dict[Path, None] = {}
    for folder in folders:
        below = sorted(path.parent for path in folder.glob("**/run.json"))
        found |= dict.fromkeys(below or ([folder] if folder != Path("runs") else []))
    return list(found)


def _row(folder: Path) -> dict[str, Any]:
    from grapheme.models import checkpoint
    from grapheme.models.store import BEST
    from grapheme.training import metrics
    from grapheme.training.progress import Progress
    from grapheme.training.run import Run

    run = Run.open(folder)
    losses = metrics.read(run.metrics) if run.metrics.exists() else []
    best = Progress.of(checkpoint.load(folder / BEST).facts) if (folder / BEST).is_file() else Progress()
    options = " ".join(f"{name}={value}" for name, value in run.settings.options.items())
    return {
        "run": str(folder),
        "experiment": run.settings.experiment,
        "seed": run.settings.seed,
        "options": options,
        "solved": best.solved,
        "errors": best.least_errors,
        "penalty": best.known_penalty,
        "steps": len(losses),
        "accuracy": losses[-1].accuracy if losses else None,
    }


def _meant_for_users(error: Exception) -> bool:
    from grapheme.errors import GraphemeError

    return isinstance(error, GraphemeError)


def _text(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:g}"
    return "" if value is None else str(value)
