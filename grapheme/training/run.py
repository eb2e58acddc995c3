"""A run folder: what was asked for, how it went, and the checkpoints."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, Self

from grapheme.errors import RunError
from grapheme.files import write_whole
from grapheme.models import checkpoint
from grapheme.models.family import family
from grapheme.models.model import AbstractModel, AbstractTrainer, Tensors
from grapheme.models.store import BEST
from grapheme.plugins.registry import failures
from grapheme.training import format_1
from grapheme.training.callbacks import AbstractCallback
from grapheme.training.experiment import EXPERIMENTS, AbstractExperiment, experiment
from grapheme.training.progress import Progress

FORMAT = "grapheme run 2"
LAST = "last.safetensors"

REFINED = "refined."
"""Begins the names of the arrays of a model that callbacks work on, in the last checkpoint."""


@dataclass(frozen=True)
class Settings:
    """What defines the numbers of a run; the backend and the threads are a choice of each start."""

    experiment: str
    seed: int
    dtype: str
    max_steps: int
    restarts: int
    every: int
    """Steps between checkpoints."""
    options: dict[str, Any] = field(default_factory=dict)
    """Of the experiment, as JSON has them."""


@dataclass(frozen=True)
class State:
    """A run as it was last saved: enough to go on as if it had never stopped."""

    trainer: AbstractTrainer
    progress: Progress
    refined: AbstractModel | None
    """What callbacks have made of the model without errors of this attempt, if there is one."""


@dataclass(frozen=True)
class Run:
    """A folder with ``run.json``, ``metrics.csv``, ``last.safetensors`` and ``best.safetensors``."""

    folder: Path
    settings: Settings
    origin: str | None = None
    """The distribution that brought the experiment when the run was made, if it is known."""
    steps_of_epoch: int = 1
    """Training steps of what a checkpoint of version 0.1 counts as an epoch."""

    @classmethod
    def create(cls, folder: Path, settings: Settings, attached: Mapping[str, bytes] | None = None) -> Self:
        """Make a new folder with the files ``attached`` by name; one that exists is never written into."""
        try:
            folder.mkdir(parents=True)
        except FileExistsError:
            raise RunError(
                f"{folder} exists; choose another folder with --out, or continue it with: grapheme resume {folder}"
            ) from None
        except OSError as error:
            raise RunError(f"Cannot make the folder {folder}: {error.strerror}. Choose another with --out.") from error
        for name, file in (attached or {}).items():
            write_whole(folder / name, file)
        owner = EXPERIMENTS.owner(settings.experiment)
        origin = owner.distribution if owner else None
        content = json.dumps({"format": FORMAT, **asdict(settings), "origin": origin}, indent=2, default=str)
        write_whole(folder / "run.json", content.encode())
        return cls(folder, settings, origin)

    @classmethod
    def open(cls, folder: Path) -> Self:
        """Open a folder that ``create`` made, or one of version 0.1."""
        path = folder / "run.json"
        if not path.is_file():
            raise RunError(
                f"{folder} is not a run: it has no run.json. Start one with: grapheme train life --out {folder}"
            )
        try:
            content = json.loads(path.read_text())
            format_ = content.pop("format")
            if format_ == format_1.FORMAT:
                content = format_1.converted(content)
            elif format_ != FORMAT:
                raise RunError(f"{path} was written by a version of grapheme with another format.")
            origin = content.pop("origin", None)
            settings = Settings(**content)
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise RunError(f"{path} is damaged ({error}).") from error
        if format_ == format_1.FORMAT and settings.experiment in format_1.BY_PASSES:
            return cls._by_passes(folder, settings)
        return cls(folder, settings, origin)

    @classmethod
    def _by_passes(cls, folder: Path, settings: Settings) -> Self:
        """Return a run whose settings count passes over all samples, after each of which there is a validation."""
        steps = experiment(settings.experiment, settings.options, folder).validate_every or 1
        counted = replace(settings, max_steps=settings.max_steps * steps, every=settings.every * steps)
        return cls(folder, counted, steps_of_epoch=steps)

    @property
    def metrics(self) -> Path:
        """The table of losses, a training step a row."""
        return self.folder / "metrics.csv"

    def experiment(self) -> AbstractExperiment:
        """Return the experiment of the run, made again from its options and the files that the folder keeps."""
        if self.origin and self.settings.experiment not in EXPERIMENTS.all():
            raise RunError(
                f"This is a run of the experiment '{self.settings.experiment}', which no installed plugin brings; "
                f"install it with: pip install {self.origin}.{failures()}"
            )
        chosen = {**self.settings.options, "max_steps": self.settings.max_steps}
        return experiment(self.settings.experiment, chosen, self.folder)

    def save_last(
        self,
        trainer: AbstractTrainer,
        progress: Progress,
        refined: AbstractModel | None = None,
        callbacks: Sequence[AbstractCallback] = (),
    ) -> None:
        """Write where the run is, to go on from."""
        tensors = trainer.state()
        if refined is not None:
            tensors |= {REFINED + name: array for name, array in refined.tensors().items()}
        states = {callback.name: callback.state() for callback in callbacks}
        facts = {**asdict(progress), "callbacks": states}
        checkpoint.save(self.folder / LAST, tensors, trainer.model.kind, facts)

    def save_best(self, model: AbstractModel, progress: Progress) -> None:
        """Write the model with the best score so far."""
        checkpoint.save(self.folder / BEST, model.tensors(), model.kind, asdict(progress))

    def restore(
        self, trainer_of: Callable[[int], AbstractTrainer], callbacks: Sequence[AbstractCallback] = ()
    ) -> State:
        """Return the run as it was last saved; ``trainer_of`` makes a fresh trainer of an attempt."""
        path = self.folder / LAST
        saved = checkpoint.load(path)
        with checkpoint.belongs(path):
            progress = Progress.of(format_1.in_steps(saved.facts, self.steps_of_epoch))
            trainer = trainer_of(progress.attempt)
            trainer.restore({name: array for name, array in saved.tensors.items() if not name.startswith(REFINED)})
            for callback in callbacks:
                callback.restore(saved.facts.get("callbacks", {}).get(callback.name, {}))
            if format_1.counts_epochs(saved.facts):
                return self._polished(trainer, progress)
            refined = _under(REFINED, saved.tensors)
            return State(trainer, progress, family(saved.kind, saved.origin).load(refined) if refined else None)

    def _polished(self, trainer: AbstractTrainer, progress: Progress) -> State:
        """Return where version 0.1 was with the model that it worked on, if it did so in this attempt."""
        path = self.folder / format_1.POLISHED
        if not path.is_file():
            return State(trainer, progress, None)
        saved = checkpoint.load(path)
        with checkpoint.belongs(path):
            further = Progress.of(format_1.in_steps(saved.facts, self.steps_of_epoch))
            ours = further.attempt == progress.attempt
            return State(trainer, further, saved.model()) if ours else State(trainer, progress, None)

    def best(self) -> tuple[AbstractModel, Progress]:
        """Return the model with the best score, and when it was found."""
        path = self.folder / BEST
        saved = checkpoint.load(path)
        with checkpoint.belongs(path):
            return saved.model(), Progress.of(format_1.in_steps(saved.facts, self.steps_of_epoch, within=True))


def _under(prefix: str, tensors: Tensors) -> Tensors:
    return {name.removeprefix(prefix): array for name, array in tensors.items() if name.startswith(prefix)}
