"""Cells that vote: an experiment and a command for grapheme."""

from __future__ import annotations

from collections.abc import Iterator

import click

from grapheme import hookimpl
from grapheme.training.experiment import AbstractExperiment


@hookimpl
def grapheme_experiments() -> Iterator[AbstractExperiment]:
    """Announce the experiment."""
    from grapheme_majority.experiment import MAJORITY

    yield MAJORITY


@hookimpl
def grapheme_commands(cli: click.Group) -> None:
    """Add ``grapheme settle``."""
    from grapheme_majority.command import settle

    cli.add_command(settle)
