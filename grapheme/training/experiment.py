"""What the training loop asks of an experiment, and the record by which a plugin announces one."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any

from grapheme.backend import Backend
from grapheme.models.evaluation import Evaluation
from grapheme.models.model import AbstractTrainer, Score
from grapheme.options import Option, Options, completed
from grapheme.plugins.registry import Registry
from grapheme.training.callbacks import AbstractCallback

MAX_STEPS = Option(
    name="max_steps",
    kind=int,
    least=1,
    help="Training steps of an attempt, each on one batch; the experiment's own number if not given.",
)
"""An option that every experiment has; a learning rate that falls does so within these steps."""


class AbstractExperiment(ABC):
    """A training task whose options are chosen: it makes trainers and batches, and scores models."""

    name: str
    """What is learnt, in a few words without spaces; a run's folder is called by it."""
    max_steps: int
    """Training steps of an attempt."""
    restarts: int = 0
    """How many more attempts there are while the task is not solved."""
    mistakes: str = "wrong bits"
    """What a score's errors are."""
    validate_every: int | None = None
    """Steps between looks at the validation set; None: whenever a batch went as well as any before it."""
    attached: Mapping[str, bytes] = MappingProxyType({})
    """Files, by name, that a run's folder keeps so that the experiment can be made again from it."""
    introduction: str = ""
    """What is shown before training begins, as a picture that is to be grown."""

    @abstractmethod
    def trainer(self, seed: int, attempt: int, dtype: str, backend: Backend) -> AbstractTrainer:
        """Return a trainer with a fresh model; each attempt of a seed starts from other parameters."""

    @abstractmethod
    def batch(self, seed: int, attempt: int, step: int) -> Any:
        """Return the batch of a training step, as the trainer takes it."""

    @abstractmethod
    def score(self, model: Any, backend: Backend) -> Score:
        """Return how a model does on the validation set; one without errors is trained no longer."""

    def callbacks(self) -> Sequence[AbstractCallback]:
        """Return what happens beside the training steps; none if an experiment does not say otherwise."""
        return ()

    def evaluate(self, model: Any, backend: Backend, seed: int) -> Evaluation:
        """Return how a trained model does beyond its training; the score alone if there is nothing else to say."""
        errors = self.score(model, backend).errors
        return Evaluation({"experiment": self.name}, ({"test": "validation", self.mistakes: errors},))

    def hints(self, folder: str) -> dict[str, str]:
        """Return commands that show what was learnt, by what they are for."""
        return {"Look at it": f"grapheme info {folder}"}


@dataclass(frozen=True, kw_only=True)
class ExperimentSpec:
    """What is known of an experiment before anything that it needs is imported."""

    name: str
    """How it is called: ``grapheme train NAME``."""
    summary: str
    """What is learnt, as a sentence for lists and for its help."""
    load: Callable[[Options, Path | None], AbstractExperiment]
    """Makes the experiment of options that are complete; the folder is that of its run, if there is one already.

    Files that the experiment attaches to a run are read from there, for the user's own may have changed.
    """
    options: tuple[Option, ...] = ()
    """What a user may choose besides ``max_steps``."""
    examples: tuple[str, ...] = ()
    """Command lines for its help."""
    samples: Callable[[], Iterable[str]] | None = None
    """Returns a few lines that show what is to be learnt, such as pairs of before and after; called for its help."""

    @property
    def all_options(self) -> tuple[Option, ...]:
        """Its own options, and those that every experiment has."""
        return (*self.options, MAX_STEPS)

    def make(self, given: Mapping[str, Any], folder: Path | None = None) -> AbstractExperiment:
        """Return the experiment with these options; what is not given has its default.

        Args:
            given: values by the names of options.
            folder: of the experiment's run, if it is made again from one.

        Returns:
            The experiment, ready to be trained.

        Raises:
            InvalidInputError: if there is no such option, or a value is refused.
        """
        return self.load(completed(self.all_options, given, f"the experiment '{self.name}'"), folder)


EXPERIMENTS = Registry("grapheme_experiments", lambda: ExperimentSpec, "experiment", lambda spec: spec.name)


def experiment(name: str, options: Mapping[str, Any] | None = None, folder: Path | None = None) -> AbstractExperiment:
    """Return an experiment by name, its options chosen.

    Args:
        name: of an experiment that ships or that a plugin brings; ``grapheme experiments`` lists them.
        options: values by name, as the experiment's own help lists them.
        folder: of the experiment's run, if it is made again from one.

    Returns:
        The experiment, ready to be trained.

    Raises:
        InvalidInputError: if there is no such experiment or option.

    Example:
        >>> experiment("life", {"max_steps": 100}).max_steps
        100
    """
    return EXPERIMENTS.get(name).make(options or {}, folder)
