"""``grapheme graph distance``: how many edits turn one graph into another."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import TYPE_CHECKING

import click

from grapheme.cli.graph.reading import kind_options, read_graph
from grapheme.cli.options import BackendCommand, kernel_options, load_backend

if TYPE_CHECKING:
    from grapheme.graph import EditDistance


@click.command(cls=BackendCommand)
@click.argument("first")
@click.argument("second")
@click.option("--timeout", type=click.FloatRange(min=0), help="Seconds after which to print what is proved so far.")
@click.option("--json", "as_json", is_flag=True, help="Print bounds, mapping and edits as JSON.")
@kind_options
@kernel_options
def distance(
    first: str, second: str, timeout: float | None, as_json: bool, kind: str | None, backend: str, threads: int | None
) -> None:
    """Print the edit distance from FIRST to SECOND, or two bounds on it if time runs out.

    Each node or edge that comes, goes or changes its label counts 1.
    """
    from grapheme.graph import edit_distance

    graphs = read_graph(first, kind), read_graph(second, kind)
    found = edit_distance(*graphs, timeout=timeout, backend=load_backend(backend, threads))
    if as_json:
        click.echo(_json(found))
    elif found.optimal:
        click.echo(f"{found.upper:g}")
    else:
        click.echo(f"{found.lower:g} to {found.upper:g}")
        click.echo("Time ran out: the distance is proved to lie in between.", err=True)


def _json(found: EditDistance) -> str:
    bounds = {"lower": found.lower, "upper": found.upper, "optimal": found.optimal}
    edits = [asdict(edit) for edit in found.path]
    return json.dumps({**bounds, "mapping": found.mapping.tolist(), "edits": edits})
