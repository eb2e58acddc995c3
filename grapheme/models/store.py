"""The best model of a run, whatever its family."""

from __future__ import annotations

from pathlib import Path
from typing import TypeVar

from grapheme.errors import RunError
from grapheme.models import checkpoint
from grapheme.models.model import AbstractModel

BEST = "best.safetensors"
"""The name of the best checkpoint in a run's folder."""

M = TypeVar("M", bound=AbstractModel)


def load(run_folder: str | Path) -> AbstractModel:
    """Return the trained model of a run: the best checkpoint, of whichever family it is.

    Args:
        run_folder: as ``grapheme train --out`` made it.

    Returns:
        The model; ``grapheme.ca.load`` and its kin return the same with its own type.

    Raises:
        RunError: if there is no such run, it is damaged, or its model is of a plugin that is not installed.
    """
    folder = Path(run_folder)
    if not (folder / "run.json").is_file():
        raise RunError(f"{folder} is not a run: it has no run.json. Start one with: grapheme train life --out {folder}")
    path = folder / BEST
    with checkpoint.belongs(path):
        return checkpoint.load(path).model()


def load_as(family: type[M], run_folder: str | Path, advice: str) -> M:
    """Return the trained model of a run, which must be of one family; else the advice is given."""
    model = load(run_folder)
    if not isinstance(model, family):
        raise RunError(f"{run_folder} holds a model of the kind '{model.kind}'; {advice}")
    return model
