"""``grapheme train`` and ``grapheme resume``: an experiment is a command of its own, with its own options and help."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from grapheme.cli.options import (
    RUN,
    BackendCommand,
    click_argument,
    click_option,
    given_options,
    kernel_params,
    load_backend,
    spreading_params,
    training_options,
)

if TYPE_CHECKING:
    from grapheme.backend import Backend
    from grapheme.training.experiment import AbstractExperiment, ExperimentSpec
    from grapheme.training.loop import Outcome
    from grapheme.training.progress import Progress
    from grapheme.training.run import Run, Settings

INTERRUPTED = 130
"""The exit code of a command that Ctrl-C stopped."""


class _Experiments(click.Group):
    """Has a command for each experiment that ships or that a plugin brings, made when it is asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        from grapheme.training.experiment import EXPERIMENTS

        return list(EXPERIMENTS.all())

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command:
        from grapheme.training.experiment import EXPERIMENTS

        return _command(EXPERIMENTS.get(cmd_name))


@click.group("train", cls=_Experiments, subcommand_metavar="EXPERIMENT [ARGS]...")
def train_command() -> None:
    """Train an experiment and keep the best model.

    Every experiment has options of its own: grapheme train EXPERIMENT --help

    \b
    grapheme train life
    grapheme train checkerboard --seeds 16
    grapheme train rule B36/S23
    grapheme train grow picture.png --size 16
    grapheme train pairs mine.jsonl --domain math
    """


class _ExperimentCommand(BackendCommand):
    """Trains one experiment; its help shows what is to be learnt, which is looked up only then."""

    spec: ExperimentSpec

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        for title, lines in (("Examples", self.spec.examples), ("What is learnt", _samples(self.spec))):
            if lines:
                with formatter.section(title):
                    formatter.write("".join(f"  {line}\n" for text in lines for line in text.splitlines()))


def _samples(spec: ExperimentSpec) -> tuple[str, ...]:
    return () if spec.samples is None else tuple(spec.samples())


def _command(spec: ExperimentSpec) -> click.Command:
    """Return the command that trains an experiment."""
    arguments: list[click.Parameter] = [click_argument(option) for option in spec.options if option.positional]
    options: list[click.Parameter] = [click_option(option) for option in spec.all_options if not option.positional]

    def callback(**values: Any) -> None:
        given = {option.name: values.pop(option.name) for option in spec.all_options}
        _start(spec, {name: value for name, value in given.items() if value is not None}, **values)

    params = [*arguments, *options, *_run_params(), *kernel_params(), *spreading_params()]
    command = _ExperimentCommand(spec.name, params=params, callback=callback, help=spec.summary)
    command.spec = spec
    return command


def _run_params() -> list[click.Parameter]:
    """Return the options that every experiment has."""
    return [
        click.Option(
            ["--seed"],
            type=click.IntRange(min=0),
            default=0,
            show_default=True,
            help="Decides initial parameters, wires and data.",
        ),
        click.Option(
            ["--seeds"],
            type=click.IntRange(min=1),
            help="Train so many seeds, from --seed on, side by side, each on one thread, and print which were solved.",
        ),
        click.Option(
            ["--dtype"],
            type=click.Choice(["float32", "float64"]),
            default="float32",
            show_default=True,
            help="Precision of soft values.",
        ),
        click.Option(
            ["--out"],
            type=click.Path(path_type=Path),
            help="Folder for the run, or with --seeds for the folders of the runs; it must not exist.  "
            "[default: runs/NAME-SEED]",
        ),
        click.Option(
            ["--every"],
            type=click.IntRange(min=1),
            default=100,
            show_default=True,
            help="Steps between checkpoints, and between lines of plain output.",
        ),
        click.Option(
            ["--restarts"],
            type=click.IntRange(min=0),
            help="Start again from fresh parameters at most so often while the task is not solved; the experiment's "
            "own number if not given, and not at all if you give --max-steps.",
        ),
        click.Option(["--timing"], is_flag=True, help="Print where the time of a step went."),
        click.Option(["--quiet"], is_flag=True, help="Print nothing but errors."),
        click.Option(["--json", "as_json"], is_flag=True, help="Print the outcome as JSON."),
    ]


def _start(
    spec: ExperimentSpec,
    given: dict[str, Any],
    *,
    seed: int,
    seeds: int | None,
    dtype: str,
    out: Path | None,
    every: int,
    restarts: int | None,
    timing: bool,
    quiet: bool,
    as_json: bool,
    backend: str,
    threads: int | None,
    parallel_batch: bool,
    samples_at_once: int | None,
    memory: int | None,
) -> None:
    """Train one seed, or several side by side."""
    from grapheme.training.run import Run, Settings

    chosen = load_backend(backend, threads, parallel_batch, samples_at_once, memory)
    experiment = spec.make(given)
    if restarts is None:
        restarts = 0 if "max_steps" in given else experiment.restarts
    options = {name: value for name, value in given.items() if name != "max_steps"}
    settings = Settings(spec.name, seed, dtype, experiment.max_steps, restarts, every, options)
    if experiment.introduction and not (quiet or as_json):
        click.echo(experiment.introduction, err=True)
    if seeds is None:
        run = Run.create(out or _unused(_folder(experiment, seed)), settings, experiment.attached)
        _train(run, experiment, chosen, timing, quiet, as_json, resume=False)
        return
    from grapheme.cli.seeds import train_seeds

    each = [replace(settings, seed=seed + number) for number in range(seeds)]
    folders = [out / f"seed-{one.seed}" if out else _unused(_folder(experiment, one.seed)) for one in each]
    runs = [Run.create(folder, one, experiment.attached) for folder, one in zip(folders, each, strict=True)]
    outcomes = train_seeds(runs, experiment, chosen, given_options(backend), quiet, as_json)
    if any(outcome is None or outcome.interrupted for outcome in outcomes):
        raise SystemExit(INTERRUPTED)


@click.command("resume", cls=BackendCommand)
@RUN
@training_options
@click.option("--timing", is_flag=True, help="Print where the time of a step went.")
@click.option("--quiet", is_flag=True, help="Print nothing but errors.")
@click.option("--json", "as_json", is_flag=True, help="Print the outcome as JSON.")
def resume_command(
    run: Path, backend: str, threads: int | None, parallel_batch: bool, samples_at_once: int | None, memory: int | None,
    timing: bool, quiet: bool, as_json: bool,
) -> None:  # fmt: skip
    """Go on with the RUN in a folder, to the same numbers as if it had never stopped."""
    from grapheme.training.run import Run

    opened = Run.open(run)
    chosen = load_backend(backend, threads, parallel_batch, samples_at_once, memory)
    _train(opened, opened.experiment(), chosen, timing, quiet, as_json, resume=True)


def _folder(experiment: AbstractExperiment, seed: int) -> Path:
    """Return where the run of a seed is kept unless somebody says otherwise."""
    from grapheme.files import file_name

    return Path("runs") / f"{file_name(experiment.name)}-{seed}"


def _train(
    run: Run, experiment: AbstractExperiment, backend: Backend, timing: bool, quiet: bool, as_json: bool, resume: bool
) -> None:
    from grapheme.cli.progress import shown
    from grapheme.timing import recording
    from grapheme.training.loop import train

    with recording() as seconds, shown(run, experiment, backend, quiet or as_json) as on_step:
        outcome = train(run, experiment, backend, on_step, resume)
    if timing and outcome.steps_run:
        _print_timing(seconds, outcome)
    if as_json:
        click.echo(json.dumps(_summary(run, outcome)))
    elif not quiet:
        _print_outcome(run, experiment, outcome)
    if outcome.interrupted:
        raise SystemExit(INTERRUPTED)


def _summary(run: Run, outcome: Outcome) -> dict[str, object]:
    progress = outcome.progress
    return {
        "run": str(run.folder),
        "solved": progress.solved,
        "errors": progress.least_errors,
        "solved_at": progress.solved_at,
        "penalty": progress.known_penalty,
        "attempt": progress.attempt,
        "step": progress.step,
        "steps_run": outcome.steps_run,
        "seconds": round(outcome.seconds, 3),
        "processor_seconds": round(outcome.processor_seconds, 3),
        "interrupted": outcome.interrupted,
    }


def _print_outcome(run: Run, experiment: AbstractExperiment, outcome: Outcome) -> None:
    progress = outcome.progress
    if outcome.interrupted:
        click.echo(f"Stopped at step {progress.step}; go on with: grapheme resume {run.folder}")
        return
    click.echo(f"{_verdict(progress, experiment.mistakes)}, {outcome.seconds:.1f} s. The run is in {run.folder}")
    for purpose, command in experiment.hints(str(run.folder)).items():
        click.echo(f"{purpose + ':':12} {command}")
    if not progress.solved:
        click.echo(f"Try again:   {_again(run.settings)}")


def _again(settings: Settings) -> str:
    """Return a command that trains the same experiment for longer."""
    from grapheme.training.experiment import EXPERIMENTS

    words = ["grapheme train", settings.experiment]
    for option in EXPERIMENTS.get(settings.experiment).options:
        value = settings.options.get(option.name)
        if value is not None:
            words += [str(value)] if option.positional else [option.flag, str(value)]
    return " ".join([*words, "--seed", str(settings.seed), "--restarts", "5"])


def _verdict(progress: Progress, mistakes: str) -> str:
    """Return when a run was solved, or that it was not, and how long it was trained."""
    if not progress.solved:
        found = f"Not solved ({progress.least_errors} {mistakes} at best)"
        return f"{found} at step {progress.step} of attempt {progress.attempt + 1}"
    attempt, step = progress.solved_at or (progress.attempt + 1, progress.step)
    found = f"Solved at step {step} of attempt {attempt}"
    if not progress.robust:
        return f"{found}, but not robust (penalty {progress.least_penalty:g}) after {progress.attempt + 1} attempts"
    again = "" if attempt > progress.attempt else f" of attempt {progress.attempt + 1}"
    return f"{found}, robust after {_rounds(progress.rounds)} of evolution{again}" if progress.rounds else found


def _rounds(count: int) -> str:
    return "1 round" if count == 1 else f"{count} rounds"


def _print_timing(seconds: dict[str, float], outcome: Outcome) -> None:
    """Print milliseconds a step, by section, to the error stream."""
    parts = {**seconds, "other": max(0.0, outcome.seconds - sum(seconds.values()))}
    for name, spent in sorted(parts.items(), key=lambda item: -item[1]):
        click.echo(f"{name:16} {1e3 * spent / outcome.steps_run:9.3f} ms/step {spent / outcome.seconds:6.1%}", err=True)


def _unused(folder: Path) -> Path:
    """Return ``folder``, or the first of folder-2, folder-3, ... that does not exist."""
    number = 1
    candidate = folder
    while candidate.exists():
        number += 1
        candidate = folder.with_name(f"{folder.name}-{number}")
    return candidate
