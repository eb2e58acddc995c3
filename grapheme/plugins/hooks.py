"""All the places where a plugin can add to grapheme.

A plugin is any distribution with an entry point in the group ``grapheme`` that names a module; the module
marks functions of these names with ``grapheme.hookimpl``.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import pluggy

if TYPE_CHECKING:
    import click

    from grapheme.backend import BackendSpec
    from grapheme.cortex.brain import Brain
    from grapheme.domains import Domain
    from grapheme.models.family import ModelSpec
    from grapheme.training.experiment import ExperimentSpec

PROJECT = "grapheme"
hookspec = pluggy.HookspecMarker(PROJECT)
hookimpl = pluggy.HookimplMarker(PROJECT)


@hookspec
def grapheme_backends() -> Iterable[BackendSpec]:  # type: ignore[empty-body]
    """Yield a record for each backend that the plugin brings."""


@hookspec
def grapheme_domains() -> Iterable[Domain]:  # type: ignore[empty-body]
    """Yield ways to write graphs as text, for pairs of one's own and for brains."""


@hookspec
def grapheme_brains() -> Iterable[Brain]:  # type: ignore[empty-body]
    """Yield brains for the cortex."""


@hookspec
def grapheme_experiments() -> Iterable[ExperimentSpec]:  # type: ignore[empty-body]
    """Yield a record for each training task that ``grapheme train`` is to offer."""


@hookspec
def grapheme_models() -> Iterable[ModelSpec]:  # type: ignore[empty-body]
    """Yield a record for each model family, so that its checkpoints can be read."""


@hookspec
def grapheme_commands(cli: click.Group) -> None:
    """Add commands to the command line."""
