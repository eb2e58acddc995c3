"""Cells that vote: an experiment and a command for grapheme."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from grapheme import hookimpl

if TYPE_CHECKING:
    import click

    from grapheme.options import Options
    from grapheme.training.experiment import AbstractExperiment, ExperimentSpec


@hookimpl
def grapheme_experiments() -> Iterator[ExperimentSpec]:
    """Announce the experiment: a record with its options, which imports nothing of what training needs."""
    from grapheme.experiments.specs import AUTOMATA
    from grapheme.options import Option
    from grapheme.training.experiment import ExperimentSpec

    neighbours = Option(
        name="neighbours",
        kind=int,
        default=5,
        least=1,
        most=9,
        help="How many of the nine cells of a neighbourhood must be alive for the cell to live.",
    )
    yield ExperimentSpec(
        name="majority",
        summary="Learn a vote of cells: each becomes what most of its neighbourhood is.",
        load=_load,
        options=(neighbours, *AUTOMATA),
        examples=("grapheme train majority", "grapheme train majority --neighbours 3"),
    )


@hookimpl
def grapheme_commands(cli: click.Group) -> None:
    """Add ``grapheme settle``."""
    from grapheme_majority.command import settle

    cli.add_command(settle)


def _load(options: Options, folder: Path | None) -> AbstractExperiment:
    """Make the experiment of complete options; nothing of it is kept in the folder of its run."""
    from grapheme_majority.experiment import majority

    return majority(options["neighbours"]).configured(options)
