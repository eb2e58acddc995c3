"""``grapheme ray-seeds``: one experiment with many seeds."""

from __future__ import annotations

from pathlib import Path

import click

from grapheme.interfaces import RECIPES
from grapheme_ray.options import options
from grapheme_ray.settings import current


@click.command("ray-seeds")
@click.argument("name")
@click.option("--seeds", type=click.IntRange(min=1), default=8, show_default=True, help="How many seeds to train.")
@click.option("--first", type=click.IntRange(min=0), default=0, show_default=True, help="The first seed.")
@click.option("--epochs", type=click.IntRange(min=1), help="Epochs of an attempt; the experiment's own if not given.")
@click.option("--restarts", type=click.IntRange(min=0), help="Further attempts; as for 'grapheme train'.")
@click.option("--recipe", type=click.Choice(RECIPES), default=RECIPES[0], show_default=True, help="How to train.")
@click.option(
    "--dtype", type=click.Choice(["float32", "float64"]), default="float32", show_default=True, help="Precision."
)
@click.option("--threads", type=int, envvar="GRAPHEME_THREADS", help="Threads here, shared out among the workers.")
@click.option("--out", type=click.Path(path_type=Path), default="runs", show_default=True, help="Folder for the runs.")
def ray_seeds(
    name: str, seeds: int, first: int, epochs: int | None, restarts: int | None, recipe: str, dtype: str,
    threads: int | None, out: Path,
) -> None:  # fmt: skip
    """Train the experiment NAME with many seeds at once, a seed a worker; those whose run is there are left out.

    \b
    grapheme ray-seeds checkerboard --seeds 8 --inner numba --workers 2
    """
    from grapheme.errors import BackendUnavailableError
    from grapheme.experiments.registry import experiment
    from grapheme.parallel import thread_count
    from grapheme.training.run import Settings
    from grapheme_ray import probe
    from grapheme_ray.seeds import save, train_seeds
    from grapheme_ray.team import team

    task = experiment(name).with_recipe(recipe)
    restarts = (0 if epochs else task.restarts) if restarts is None else restarts
    settings = Settings(task.name, first, dtype, epochs or task.epochs, restarts, 100, recipe)
    reason = probe()
    if reason is not None:
        raise BackendUnavailableError(f"The backend 'ray' cannot run here: {reason}")
    folders = {seed: out / f"{task.name.replace('/', '')}-{seed}" for seed in range(first, first + seeds)}
    missing = [seed for seed, folder in folders.items() if not (folder / "run.json").exists()]
    for trained in train_seeds(team(current(), thread_count(threads)), settings, missing):
        save(trained, folders[trained.seed])
        verdict = "solved" if trained.solved else f"{trained.errors} wrong bits at best"
        click.echo(f"{folders[trained.seed]}: {verdict}, {trained.epochs} epochs, {trained.seconds:.1f} s")
    if len(missing) < seeds:
        click.echo(f"{seeds - len(missing)} of {seeds} runs were there already.", err=True)


ray_seeds.params += options()
