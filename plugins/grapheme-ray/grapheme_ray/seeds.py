"""A population of seeds: every worker trains whole runs, and what they write comes home."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from grapheme.backend import Backend
from grapheme.training.files import write_whole
from grapheme.training.loop import train
from grapheme.training.run import Run, Settings
from grapheme_ray.team import Call, Team


@dataclass(frozen=True, eq=False)
class Trained:
    """How the run of a seed ended, and the files of its folder."""

    seed: int
    solved: bool
    errors: int | None
    epochs: int
    seconds: float
    files: dict[str, bytes]


def train_seeds(team: Team, settings: Settings, seeds: Sequence[int]) -> Iterator[Trained]:
    """Yield the runs of ``seeds`` as they end; each is what training it alone with the inner backend gives."""
    calls = [Call(train_seed, None, (replace(settings, seed=seed),)) for seed in seeds]
    for _, trained in team.each(calls):
        yield trained


def train_seed(backend: Backend, nothing: None, settings: Settings) -> Trained:
    """Train one run, in a worker."""
    with tempfile.TemporaryDirectory(prefix="grapheme-ray-") as folder:
        run = Run.create(Path(folder) / "run", settings)
        outcome = train(run, backend, lambda row, progress: None)
        files = {path.name: path.read_bytes() for path in run.folder.iterdir()}
    progress = outcome.progress
    return Trained(settings.seed, progress.solved, progress.least_errors, outcome.epochs_run, outcome.seconds, files)


def save(trained: Trained, folder: Path) -> None:
    """Write a run's files where a run of this machine would be; ``run.json`` last, for it makes the folder a run."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in sorted(trained.files, key=lambda name: name == "run.json"):
        write_whole(folder / name, trained.files[name])
