"""The trained cortex of a run."""

from __future__ import annotations

from pathlib import Path

from grapheme.cortex.model import Cortex
from grapheme.models.store import load_as


def load(run_folder: str | Path) -> Cortex:
    """Return the trained cortex of a run: its best checkpoint.

    Args:
        run_folder: as ``grapheme train --out`` made it.

    Returns:
        The model.

    Raises:
        RunError: if there is no such run, it is damaged, or holds a model of another family.
    """
    return load_as(Cortex, run_folder, "train a cortex with: grapheme train cortex")
