"""Checkpoints: one safetensors file, its small JSON inside, so that both change together."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import safetensors.numpy
from safetensors import SafetensorError, safe_open

from grapheme.errors import RunError
from grapheme.files import write_whole
from grapheme.models.model import Tensors

FORMAT = "grapheme checkpoint 1"


def save(path: Path, tensors: Tensors, facts: dict[str, Any]) -> None:
    """Write arrays and a JSON-able record."""
    write_whole(path, safetensors.numpy.save(tensors, metadata={"format": FORMAT, "facts": json.dumps(facts)}))


def load(path: Path) -> tuple[Tensors, dict[str, Any]]:
    """Read what ``save`` wrote; anything else is refused in a sentence."""
    if not path.is_file():
        raise RunError(f"There is no checkpoint {path}.")
    try:
        with safe_open(path, framework="numpy") as file:
            metadata = file.metadata() or {}
            tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
    except (SafetensorError, OSError, ValueError) as error:
        raise RunError(f"{path} is damaged or not a checkpoint ({error}).") from error
    if metadata.get("format") != FORMAT:
        raise RunError(f"{path} was not written by grapheme, or by a version with another format.")
    facts: dict[str, Any] = json.loads(metadata["facts"])
    return tensors, facts
