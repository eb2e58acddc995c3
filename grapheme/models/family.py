"""Model families: each says its kind, which a checkpoint keeps, so that whatever was trained can be read again."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from grapheme.errors import RunError
from grapheme.models.model import AbstractModel, Tensors
from grapheme.plugins.registry import Registry, failures


@dataclass(frozen=True, kw_only=True)
class ModelSpec:
    """What is known of a model family before it is imported."""

    kind: str
    """As ``AbstractModel.kind`` of its models says it; checkpoints keep it."""
    summary: str
    load: Callable[[Tensors], AbstractModel]
    """Returns the model that ``AbstractModel.tensors`` described."""


FAMILIES = Registry("grapheme_models", lambda: ModelSpec, "model family", lambda spec: spec.kind, error=RunError)


def family(kind: str, origin: str | None) -> ModelSpec:
    """Return the family of a kind, or say what to install.

    Args:
        kind: as a checkpoint keeps it.
        origin: the distribution that brought the family when the checkpoint was written, if it is known.

    Returns:
        The family's record.

    Raises:
        RunError: if no installed plugin brings such a family.

    Example:
        >>> family("automaton", None).kind
        'automaton'
    """
    known = FAMILIES.all()
    if kind not in known:
        advice = f"install it with: pip install {origin}" if origin else "install the plugin that brought it"
        raise RunError(
            f"This is a model of the kind '{kind}', which no installed plugin brings; {advice}. "
            f"There are {', '.join(known)}.{failures()}"
        )
    return known[kind]


def origin(kind: str) -> str | None:
    """Return the distribution that brings a family, for a checkpoint to remember; None if no plugin does."""
    owner = FAMILIES.owner(kind)
    return owner.distribution if owner else None
