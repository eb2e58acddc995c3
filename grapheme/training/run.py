"""A run folder: what was asked for, how it went, and the checkpoints."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any, Self

from grapheme.ca import DiffLogicCA
from grapheme.errors import RunError
from grapheme.files import write_whole
from grapheme.models import checkpoint
from grapheme.models.model import AbstractModel, AbstractTrainer, Tensors

FORMAT = "grapheme run 1"


@dataclass(frozen=True)
class Settings:
    """What defines the numbers of a run; the backend and the threads are a choice of each start."""

    experiment: str
    seed: int
    dtype: str
    epochs: int
    restarts: int
    every: int
    recipe: str = "paper"
    loss: str | None = None
    """What is made small, if the experiment leaves a choice; None is its own."""


FURTHER = 2
"""So many attempts follow the one that solved the task, while the best model is weak; the strongest is kept."""


@dataclass
class Progress:
    """How far a run has come."""

    attempt: int = 0
    epoch: int = 0
    least_hard_loss: float | None = None
    """The least hard loss of a batch in this attempt."""
    fewest_errors: int | None = None
    """The fewest errors on the validation grids in this attempt, before anything was refined."""
    least_errors: int | None = None
    """The fewest errors on the validation grids in the whole run: those of the best checkpoint."""
    least_weakness: float = math.inf
    """How weak the best checkpoint is."""
    solved_at: tuple[int, int] | None = None
    """The attempt, and its epoch, that made the first checkpoint without errors; both counted from 1."""

    polishings: int = 0
    """How often the model of this attempt was polished, being right but weak."""

    polishings_left: int | None = None
    """How often it still will be at most; None before this attempt made a model without errors."""

    @classmethod
    def of(cls, facts: Mapping[str, Any]) -> Self:
        """Return what a checkpoint says; that of an earlier version may say more."""
        progress = cls(**{field.name: facts[field.name] for field in fields(cls) if field.name in facts})
        if progress.solved_at is not None:
            attempt, epoch = progress.solved_at  # a list, where it comes from a file
            progress.solved_at = attempt, epoch
        return progress

    @property
    def solved(self) -> bool:
        """Whether the best checkpoint makes no error."""
        return self.least_errors == 0

    @property
    def perfect(self) -> bool:
        """Whether nothing is left to be trained for."""
        return self.solved and self.least_weakness == 0

    @property
    def known_weakness(self) -> float | None:
        """How weak the best checkpoint is, if that was looked at."""
        return self.least_weakness if math.isfinite(self.least_weakness) else None

    def attempt_over(self, settings: Settings) -> bool:
        """Say whether this attempt ends here."""
        return self.epoch >= settings.epochs if self.polishings_left is None else self.polishings_left == 0

    def finished(self, settings: Settings) -> bool:
        """Say whether the run ends here: with a model that is not weak, or that nothing can be done about."""
        solved_in = self.attempt + 1 if self.solved_at is None else self.solved_at[0]
        last = self.attempt == settings.restarts or self.attempt + 1 == solved_in + FURTHER
        as_it_is = self.polishings_left == self.polishings == 0
        return self.perfect or as_it_is or (last and self.attempt_over(settings))

    def next_attempt(self) -> None:
        """Forget what was only of this attempt."""
        self.attempt, self.epoch, self.least_hard_loss, self.fewest_errors = self.attempt + 1, 0, None, None
        self.polishings, self.polishings_left = 0, None


@dataclass(frozen=True)
class Run:
    """A folder with ``run.json``, ``metrics.csv``, ``last.safetensors`` and ``best.safetensors``.

    While a model is polished, there is ``polished.safetensors`` too.
    """

    folder: Path
    settings: Settings

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
        content = json.dumps({"format": FORMAT, **asdict(settings)}, indent=2)
        write_whole(folder / "run.json", content.encode())
        return cls(folder, settings)

    @classmethod
    def open(cls, folder: Path) -> Self:
        """Open a folder that ``create`` made."""
        path = folder / "run.json"
        if not path.is_file():
            raise RunError(
                f"{folder} is not a run: it has no run.json. Start one with: grapheme train life --out {folder}"
            )
        try:
            content = json.loads(path.read_text())
            if content.pop("format") != FORMAT:
                raise RunError(f"{path} was written by a version of grapheme with another format.")
            return cls(folder, Settings(**content))
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise RunError(f"{path} is damaged ({error}).") from error

    @property
    def metrics(self) -> Path:
        """The table of losses, an epoch a row."""
        return self.folder / "metrics.csv"

    def save_last(self, trainer: AbstractTrainer, progress: Progress) -> None:
        """Write where the run is, to go on from."""
        checkpoint.save(self.folder / "last.safetensors", trainer.state(), asdict(progress))

    def save_best(self, model: AbstractModel, progress: Progress) -> None:
        """Write the model with the fewest errors so far."""
        checkpoint.save(self.folder / "best.safetensors", model.tensors(), asdict(progress))

    def save_polished(self, model: AbstractModel, progress: Progress) -> None:
        """Write what came of polishing so far in this attempt, to go on from."""
        checkpoint.save(self.folder / "polished.safetensors", model.tensors(), asdict(progress))

    def polished_in(self, attempt: int) -> tuple[AbstractModel, Progress] | None:
        """Return what came of polishing in an attempt, if it was saved; that of an earlier one is over."""
        path = self.folder / "polished.safetensors"
        if not path.is_file():
            return None
        tensors, facts = checkpoint.load(path)
        with _belongs(path):
            progress = Progress.of(facts)
            return (model_of(tensors), progress) if progress.attempt == attempt else None

    def forget_polished(self) -> None:
        """Remove what came of polishing: all that counts then is the best."""
        (self.folder / "polished.safetensors").unlink(missing_ok=True)

    def restore(self, trainer_of: Callable[[int], AbstractTrainer]) -> tuple[AbstractTrainer, Progress]:
        """Return the trainer of the attempt in which the run was last saved, taken to where it was then."""
        tensors, facts = checkpoint.load(self.folder / "last.safetensors")
        with _belongs(self.folder / "last.safetensors"):
            progress = Progress.of(facts)
            trainer = trainer_of(progress.attempt)
            trainer.restore(tensors)
            return trainer, progress

    def best(self) -> tuple[AbstractModel, Progress]:
        """Return the model with the fewest errors, and when it was found."""
        tensors, facts = checkpoint.load(self.folder / "best.safetensors")
        with _belongs(self.folder / "best.safetensors"):
            return model_of(tensors), Progress.of(facts)


def model_of(tensors: Tensors) -> AbstractModel:
    """Return the model of whichever family a checkpoint describes."""
    if "cortex" in tensors:
        from grapheme.cortex import Cortex

        return Cortex.from_tensors(tensors)
    if "heads" in tensors:
        from grapheme.transform import GraphEditNet

        return GraphEditNet.from_tensors(tensors)
    return DiffLogicCA.from_tensors(tensors)


def load(run_folder: str | Path) -> AbstractModel:
    """Return the trained model of a run: the checkpoint with the fewest errors of its hard circuit."""
    return Run.open(Path(run_folder)).best()[0]


@contextmanager
def _belongs(path: Path) -> Iterator[None]:
    """Turn what a checkpoint of something else raises into a sentence."""
    try:
        yield
    except (KeyError, TypeError, ValueError, IndexError) as error:
        raise RunError(f"{path} does not hold a model of this run ({error}).") from error
