"""``grapheme train`` and ``grapheme resume``."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from grapheme.cli.options import RUN, backend_options, load_backend
from grapheme.training.experiment import RECIPES

if TYPE_CHECKING:
    from grapheme.backend import Backend
    from grapheme.training.experiment import AbstractExperiment
    from grapheme.training.loop import Outcome
    from grapheme.training.run import Progress, Run, Settings

INTERRUPTED = 130
"""The exit code of a command that Ctrl-C stopped."""


@click.command("train")
@click.argument("name")
@backend_options
@click.option("--rule", help="With NAME 'rule': which one, as in B36/S23 or 110.")
@click.option("--image", type=click.Path(path_type=Path), help="With NAME 'grow': the picture to grow.")
@click.option(
    "--size", type=int, default=16, show_default=True, help="With --image: cells of the picture's longer side, 8 to 32."
)
@click.option(
    "--threshold",
    type=float,
    default=0.5,
    show_default=True,
    help="With --image: how bright, from 0 to 1, a colour must be to count.",
)
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
    "--seeds",
    type=click.IntRange(min=1),
    help="Train so many seeds, from --seed on, side by side, each on one thread, and print which were solved.",
)
@click.option(
    "--dtype",
    type=click.Choice(["float32", "float64"]),
    default="float32",
    show_default=True,
    help="Precision of soft values.",
)
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    help="Folder for the run, or with --seeds for the folders of the runs; it must not exist.  "
    "[default: runs/NAME-SEED]",
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
    rule: str | None, image: Path | None, size: int, threshold: float, pairs: Path | None, domain: str,
    epochs: int | None, seed: int, seeds: int | None, dtype: str, out: Path | None, every: int, restarts: int | None,
    recipe: str, loss: str | None, timing: bool, quiet: bool, as_json: bool,
) -> None:  # fmt: skip
    """Train the experiment NAME and keep the best circuit.

    \b
    grapheme train life
    grapheme train checkerboard --seed 3
    grapheme train checkerboard --seeds 16
    grapheme train checkerboard --recipe paper
    grapheme train rule --rule B36/S23
    grapheme train grow --image picture.png
    grapheme train cortex
    grapheme train cortex --pairs mine.jsonl
    """
    from grapheme.backend.parallelism import Parallelism
    from grapheme.backend.selection import get_backend
    from grapheme.experiments.registry import experiment
    from grapheme.training.run import Run, Settings

    if image is not None or name == "grow":
        task = _growing(name, image, size, threshold, quiet or as_json).with_recipe(recipe)
    elif pairs is not None:
        task = _of_pairs(name, pairs, domain).with_recipe(recipe)
    else:
        task = experiment(_full_name(name, rule)).with_recipe(recipe)
    task = task if loss is None else task.with_loss(loss)
    restarts = (0 if epochs else task.restarts) if restarts is None else restarts
    parallelism = Parallelism(threads, parallel_batch, samples_at_once, memory)
    chosen = get_backend(backend, threads, parallelism)
    settings = Settings(task.name, seed, dtype, epochs or task.epochs, restarts, every, recipe, loss)
    if seeds is None:
        run = Run.create(out or _unused(_folder(settings)), settings, task.attached)
        _train(run, chosen, timing, quiet, as_json, resume=False)
        return
    from grapheme.cli.seeds import train_seeds

    each = [replace(settings, seed=seed + number) for number in range(seeds)]
    folders = [out / f"seed-{one.seed}" if out else _unused(_folder(one)) for one in each]
    runs = [Run.create(folder, one, task.attached) for folder, one in zip(folders, each, strict=True)]
    outcomes = train_seeds(runs, chosen.name, parallelism, quiet, as_json)
    if any(outcome is None or outcome.interrupted for outcome in outcomes):
        raise SystemExit(INTERRUPTED)


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


def _full_name(name: str, rule: str | None) -> str:
    """Return the name of the experiment that learns a rule."""
    from grapheme.errors import InvalidInputError

    if (name == "rule") != (rule is not None):
        raise InvalidInputError("A rule is learnt with both: grapheme train rule --rule B36/S23")
    return name if rule is None else f"rule-{rule}"


def _of_pairs(name: str, pairs: Path, domain: str) -> AbstractExperiment:
    """Return the experiment with the pairs of a file."""
    from grapheme.errors import InvalidInputError
    from grapheme.experiments.pairs import pairs_experiment

    if name not in ("cortex", "pairs"):
        raise InvalidInputError("Pairs are learnt with: grapheme train pairs --pairs FILE, or grapheme train cortex.")
    return pairs_experiment(f"{name}:{domain}", pairs)


def _growing(name: str, image: Path | None, size: int, threshold: float, quiet: bool) -> AbstractExperiment:
    """Return the experiment that grows a picture, and show the picture."""
    from grapheme.errors import InvalidInputError
    from grapheme.experiments.grow import grow_experiment, preview, read_picture

    if name != "grow" or image is None:
        raise InvalidInputError("A picture is grown with both: grapheme train grow --image FILE")

    picture = read_picture(image, size, threshold)
    if not quiet:
        click.echo(f"{preview(picture)}\n{picture.shape[1]}x{picture.shape[2]} cells to grow", err=True)
    return grow_experiment(picture)


def _folder(settings: Settings) -> Path:
    """Return where the run of a seed is kept unless somebody says otherwise."""
    return Path("runs") / f"{_folder_name(settings.experiment)}-{settings.seed}"


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
        "solved_at": progress.solved_at,
        "weakness": progress.known_weakness,
        "attempt": progress.attempt,
        "epoch": progress.epoch,
        "epochs_run": outcome.epochs_run,
        "seconds": round(outcome.seconds, 3),
        "processor_seconds": round(outcome.processor_seconds, 3),
        "interrupted": outcome.interrupted,
    }


def _print_outcome(run: Run, outcome: Outcome) -> None:
    from grapheme.experiments.registry import experiment

    progress = outcome.progress
    if outcome.interrupted:
        click.echo(f"Stopped at epoch {progress.epoch}; go on with: grapheme resume {run.folder}")
        return
    task = experiment(run.settings.experiment, run.folder)
    click.echo(f"{_verdict(progress, task.mistakes)}, {outcome.seconds:.1f} s. The run is in {run.folder}")
    for purpose, command in task.hints(str(run.folder)).items():
        click.echo(f"{purpose + ':':12} {command}")
    if not progress.solved:
        click.echo(f"Try again:   grapheme train {run.settings.experiment} --seed {run.settings.seed} --restarts 5")


def _verdict(progress: Progress, mistakes: str) -> str:
    """Return when a run was solved, or that it was not, and how long it was trained."""
    if not progress.solved:
        found = f"Not solved ({progress.least_errors} {mistakes} at best)"
        return f"{found} at epoch {progress.epoch} of attempt {progress.attempt + 1}"
    attempt, epoch = progress.solved_at or (progress.attempt + 1, progress.epoch)
    found = f"Solved at epoch {epoch} of attempt {attempt}"
    if not progress.perfect:
        return f"{found}, but still weak (by {progress.least_weakness:g}) after {progress.attempt + 1} attempts"
    again = "" if attempt > progress.attempt else f" of attempt {progress.attempt + 1}"
    return f"{found}, sturdy after polishing (times: {progress.polishings}){again}" if progress.polishings else found


def _print_timing(seconds: dict[str, float], outcome: Outcome) -> None:
    """Print milliseconds an epoch, by section, to the error stream."""
    parts = {**seconds, "other": max(0.0, outcome.seconds - sum(seconds.values()))}
    for name, spent in sorted(parts.items(), key=lambda item: -item[1]):
        click.echo(
            f"{name:16} {1e3 * spent / outcome.epochs_run:9.3f} ms/epoch {spent / outcome.seconds:6.1%}", err=True
        )


def _folder_name(name: str) -> str:
    """Return a name with nothing in it that a folder cannot have."""
    return name.replace("/", "").replace(":", "-")


def _unused(folder: Path) -> Path:
    """Return ``folder``, or the first of folder-2, folder-3, ... that does not exist."""
    number = 1
    candidate = folder
    while candidate.exists():
        number += 1
        candidate = folder.with_name(f"{folder.name}-{number}")
    return candidate
