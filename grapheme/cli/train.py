"""``grapheme train`` and ``grapheme resume``."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import click

from grapheme.cli.options import RUN, backend_options, load_backend
from grapheme.interfaces import RECIPES

if TYPE_CHECKING:
    from grapheme.backend import Backend
    from grapheme.training.loop import Outcome
    from grapheme.training.run import Run

INTERRUPTED = 130
"""The exit code of a command that Ctrl-C stopped."""


@click.command("train")
@click.argument("name")
@backend_options
@click.option("--rule", help="With NAME 'rule': which one, as in B36/S23 or 110.")
@click.option(
    "--pairs",
    type=click.Path(path_type=Path, dir_okay=False),
    help="With NAME 'cortex' or 'pairs': learn from the pairs in FILE, a line of JSON each.",
)
@click.option(
    "--domain", default="text", show_default=True, help="With --pairs: what sides are that name no domain of their own."
)
@click.option(
    "--epochs", type=click.IntRange(min=1), help="Epochs of an attempt; the experiment's own number if not given."
)
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Decides wires and data.")
@click.option(
    "--dtype",
    type=click.Choice(["float32", "float64"]),
    default="float32",
    show_default=True,
    help="Precision of soft values.",
)
@click.option(
    "--out", type=click.Path(path_type=Path), help="Folder for the run; it must not exist.  [default: runs/NAME-SEED]"
)
@click.option(
    "--every",
    type=click.IntRange(min=1),
    default=100,
    show_default=True,
    help="Epochs between checkpoints, and between lines of plain output.",
)
@click.option(
    "--restarts",
    type=click.IntRange(min=0),
    help="Start again from fresh wires at most so often while the task is not solved; as the recipe has it if not "
    "given, and not at all if you give --epochs.",
)
@click.option(
    "--recipe",
    type=click.Choice(RECIPES),
    default=RECIPES[0],
    show_default=True,
    help="How to train: reliably, or exactly as published.",
)
@click.option("--loss", help="With tasks of graphs: what to make small, 'edits' or 'structural'.")
@click.option("--timing", is_flag=True, help="Print where the time of an epoch went.")
@click.option("--quiet", is_flag=True, help="Print nothing but errors.")
@click.option("--json", "as_json", is_flag=True, help="Print the outcome as JSON.")
def train_command(
    name: str, backend: str, threads: int | None, parallel_batch: bool, samples_at_once: int | None, memory: int | None,
    rule: str | None, pairs: Path | None, domain: str, epochs: int | None, seed: int, dtype: str, out: Path | None,
    every: int, restarts: int | None, recipe: str, loss: str | None, timing: bool, quiet: bool, as_json: bool,
) -> None:  # fmt: skip
    """Train the experiment NAME and keep the best circuit.

    \b
    grapheme train life
    grapheme train checkerboard --seed 3
    grapheme train checkerboard --recipe paper
    grapheme train rule --rule B36/S23
    grapheme train cortex
    grapheme train cortex --pairs mine.jsonl
    """
    from grapheme.experiments.registry import experiment
    from grapheme.training.run import Run, Settings

    task = experiment(_full_name(name, rule, pairs, domain)).with_recipe(recipe)
    task = task if loss is None else task.with_loss(loss)
    restarts = (0 if epochs else task.restarts) if restarts is None else restarts
    chosen = load_backend(backend, threads, parallel_batch, samples_at_once, memory)
    settings = Settings(task.name, seed, dtype, epochs or task.epochs, restarts, every, recipe, loss)
    run = Run.create(out or _unused(Path("runs") / f"{_folder_name(task.name)}-{seed}"), settings)
    _train(run, chosen, timing, quiet, as_json, resume=False)


@click.command("resume")
@RUN
@backend_options
@click.option("--timing", is_flag=True, help="Print where the time of an epoch went.")
@click.option("--quiet", is_flag=True, help="Print nothing but errors.")
@click.option("--json", "as_json", is_flag=True, help="Print the outcome as JSON.")
def resume_command(
    run: Path, backend: str, threads: int | None, parallel_batch: bool, samples_at_once: int | None, memory: int | None,
    timing: bool, quiet: bool, as_json: bool,
) -> None:  # fmt: skip
    """Go on with the RUN in a folder, to the same numbers as if it had never stopped."""
    from grapheme.training.run import Run

    opened = Run.open(run)
    _train(
        opened,
        load_backend(backend, threads, parallel_batch, samples_at_once, memory),
        timing,
        quiet,
        as_json,
        resume=True,
    )


def _full_name(name: str, rule: str | None, pairs: Path | None, domain: str) -> str:
    """Return the name of the experiment that learns a rule, or the pairs of a file."""
    from grapheme.errors import InvalidInputError
    from grapheme.tasks.files import read_pairs

    if pairs is not None:
        if name not in ("cortex", "pairs"):
            raise InvalidInputError(
                "Pairs are learnt with: grapheme train pairs --pairs FILE, or grapheme train cortex."
            )
        read_pairs(pairs, domain)  # what cannot be read is said before a folder is made
        return f"{name}:{domain}:{pairs.resolve()}"
    if (name == "rule") != (rule is not None):
        raise InvalidInputError("A rule is learnt with both: grapheme train rule --rule B36/S23")
    return name if rule is None else f"rule-{rule}"


def _train(run: Run, backend: Backend, timing: bool, quiet: bool, as_json: bool, resume: bool) -> None:
    from grapheme.cli.progress import shown
    from grapheme.timing import recording
    from grapheme.training.loop import train

    with recording() as seconds, shown(run, backend, quiet or as_json) as on_epoch:
        outcome = train(run, backend, on_epoch, resume)
    if timing and outcome.epochs_run:
        _print_timing(seconds, outcome)
    if as_json:
        click.echo(json.dumps(_summary(run, outcome)))
    elif not quiet:
        _print_outcome(run, outcome)
    if outcome.interrupted:
        raise SystemExit(INTERRUPTED)


def _summary(run: Run, outcome: Outcome) -> dict[str, object]:
    progress = outcome.progress
    return {
        "run": str(run.folder),
        "solved": progress.solved,
        "errors": progress.least_errors,
        "attempt": progress.attempt,
        "epoch": progress.epoch,
        "epochs_run": outcome.epochs_run,
        "seconds": round(outcome.seconds, 3),
        "interrupted": outcome.interrupted,
    }


def _print_outcome(run: Run, outcome: Outcome) -> None:
    from grapheme.experiments.registry import experiment

    progress = outcome.progress
    if outcome.interrupted:
        click.echo(f"Stopped at epoch {progress.epoch}; go on with: grapheme resume {run.folder}")
        return
    task = experiment(run.settings.experiment)
    verdict = "Solved" if progress.solved else f"Not solved ({progress.least_errors} {task.mistakes} at best)"
    click.echo(
        f"{verdict} at epoch {progress.epoch} of attempt {progress.attempt + 1}, {outcome.seconds:.1f} s. "
        f"The run is in {run.folder}"
    )
    for purpose, command in task.hints(str(run.folder)).items():
        click.echo(f"{purpose + ':':12} {command}")
    if not progress.solved:
        click.echo(f"Try again:   grapheme train {run.settings.experiment} --seed {run.settings.seed} --restarts 5")


def _print_timing(seconds: dict[str, float], outcome: Outcome) -> None:
    """Print milliseconds an epoch, by section, to the error stream."""
    parts = {**seconds, "other": max(0.0, outcome.seconds - sum(seconds.values()))}
    for name, spent in sorted(parts.items(), key=lambda item: -item[1]):
        click.echo(
            f"{name:16} {1e3 * spent / outcome.epochs_run:9.3f} ms/epoch {spent / outcome.seconds:6.1%}", err=True
        )


def _folder_name(name: str) -> str:
    """Return a name with nothing in it that a folder cannot have; of a file its own name only."""
    return f"{name.split(':')[0]}-{Path(name).stem}" if ":" in name else name.replace("/", "")


def _unused(folder: Path) -> Path:
    """Return ``folder``, or the first of folder-2, folder-3, ... that does not exist."""
    number = 1
    candidate = folder
    while candidate.exists():
        number += 1
        candidate = folder.with_name(f"{folder.name}-{number}")
    return candidate
