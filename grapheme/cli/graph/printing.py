"""Groups of nodes as a command prints them."""

from __future__ import annotations

import json
from collections.abc import Iterable

import click

from grapheme.arrays import Ints


def print_groups(groups: Iterable[Ints], as_json: bool) -> None:
    """Print the numbers of nodes, a group a line, or all as one list of lists in JSON."""
    found = [nodes.tolist() for nodes in groups]
    for line in [json.dumps(found)] if as_json else ["\t".join(map(str, nodes)) for nodes in found]:
        click.echo(line)
