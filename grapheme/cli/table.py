"""Tables: drawn on a terminal, tab-separated into a pipe."""

from __future__ import annotations

import sys
from collections.abc import Sequence

import click


def print_table(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Print rows of text under their headings."""
    if not sys.stdout.isatty():
        for line in (columns, *rows):
            click.echo("\t".join(line))
        return
    from rich import box
    from rich.console import Console
    from rich.table import Table

    table = Table(*columns, box=box.SIMPLE_HEAD)
    for row in rows:
        table.add_row(*row)
    Console().print(table)
