"""Cells that vote: an experiment and a command for grapheme."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import click

from grapheme import hookimpl
from grapheme.experiments.specs import AUTOMATA
from grapheme.options import Options
from grapheme.training.experiment import AbstractExperiment, ExperimentSpec


def load(options: Options, folder: Path | None) -> AbstractExperiment:
    """Return the experiment that the options ask for."""
    from grapheme_majority.experiment import MAJORITY

    return MAJORITY.configured(options)


@hookimpl
def grapheme_experiments() -> Iterator[ExperimentSpec]:
    """Announce the experiment."""
    yield ExperimentSpec(
        name="majority",
        summary="Learn cells that vote with their neighbourhood.",
        load=load,
        options=AUTOMATA,
        examples=("grapheme train majority",),
    )


@hookimpl
def grapheme_commands(cli: click.Group) -> None:
    """Add ``grapheme settle``."""
    from grapheme_majority.command import settle

    cli.add_command(settle)
