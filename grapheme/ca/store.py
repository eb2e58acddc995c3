"""The trained automaton of a run."""

from __future__ import annotations

from pathlib import Path

from grapheme.ca.model import DiffLogicCA
from grapheme.models.store import load_as


def load(run_folder: str | Path) -> DiffLogicCA:
    """Return the trained automaton of a run: its best checkpoint.

    Args:
        run_folder: as ``grapheme train --out`` made it.

    Returns:
        The model.

    Raises:
        RunError: if there is no such run, it is damaged, or holds a model of another family.
    """
    return load_as(DiffLogicCA, run_folder, "train an automaton with: grapheme train life")
