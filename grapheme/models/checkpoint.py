"""Checkpoints: one safetensors file, its small JSON inside, so that both change together."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import safetensors.numpy
from safetensors import SafetensorError, safe_open

from grapheme.errors import RunError
from grapheme.files import write_whole
from grapheme.models.family import family, origin
from grapheme.models.model import AbstractModel, Tensors

FORMAT = "grapheme checkpoint 2"
"""Format 1 did not say which family a model is of; it is told by the names of the arrays."""
FORMAT_1 = "grapheme checkpoint 1"


@dataclass(frozen=True)
class Checkpoint:
    """What a file holds: arrays, the family of the model that they describe, and a record as JSON has it."""

    tensors: Tensors
    kind: str
    origin: str | None
    """The distribution that brought the family when the file was written."""
    facts: dict[str, Any]

    def model(self) -> AbstractModel:
        """Return the model that the arrays describe."""
        return family(self.kind, self.origin).load(self.tensors)


def save(path: Path, tensors: Tensors, kind: str, facts: Mapping[str, Any]) -> None:
    """Write arrays, the kind of model that they describe and a JSON-able record."""
    metadata = {"format": FORMAT, "kind": kind, "origin": origin(kind) or "", "facts": json.dumps(facts)}
    write_whole(path, safetensors.numpy.save(tensors, metadata=metadata))


def load(path: Path) -> Checkpoint:
    """Read what ``save`` wrote; anything else is refused in a sentence."""
    if not path.is_file():
        raise RunError(f"There is no checkpoint {path}.")
    try:
        with safe_open(path, framework="numpy") as file:
            metadata = file.metadata() or {}
            tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
    except (SafetensorError, OSError, ValueError) as error:
        raise RunError(f"{path} is damaged or not a checkpoint ({error}).") from error
    if metadata.get("format") not in (FORMAT, FORMAT_1):
        raise RunError(f"{path} was not written by grapheme, or by a version with another format.")
    with belongs(path):
        kind = metadata["kind"] if metadata["format"] == FORMAT else _kind_in_format_1(tensors)
        return Checkpoint(tensors, kind, metadata.get("origin") or None, json.loads(metadata["facts"]))


@contextmanager
def belongs(path: Path) -> Iterator[None]:
    """Turn what a checkpoint of something else raises into a sentence."""
    try:
        yield
    except (KeyError, TypeError, ValueError, IndexError) as error:
        raise RunError(f"{path} does not hold a model of this run ({error}).") from error


def _kind_in_format_1(tensors: Tensors) -> str:
    """Return the family of a model of version 0.1, which had three of them."""
    return "cortex" if "cortex" in tensors else "edit-network" if "heads" in tensors else "automaton"
