"""The trained network of a run."""

from __future__ import annotations

from pathlib import Path

from grapheme.models.store import load_as
from grapheme.transform.model import GraphEditNet


def load(run_folder: str | Path) -> GraphEditNet:
    """Return the trained network of a run: its best checkpoint.

    Args:
        run_folder: as ``grapheme train --out`` made it.

    Returns:
        The model.

    Raises:
        RunError: if there is no such run, it is damaged, or holds a model of another family.
    """
    return load_as(GraphEditNet, run_folder, "train a network that edits graphs with: grapheme train boolean")
