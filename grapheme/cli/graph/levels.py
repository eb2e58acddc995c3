"""``grapheme graph levels``: the nodes of an acyclic graph in the order in which they depend on each other."""

from __future__ import annotations

import click

from grapheme.cli.graph.printing import print_groups
from grapheme.cli.graph.reading import kind_options, read_graph
from grapheme.cli.options import BackendCommand, kernel_options, load_backend


@click.command(cls=BackendCommand)
@click.argument("graph")
@click.option("--json", "as_json", is_flag=True, help="Print a list of levels as JSON.")
@kind_options
@kernel_options
def levels(graph: str, as_json: bool, kind: str | None, backend: str, threads: int | None) -> None:
    """Print the nodes of each level of GRAPH, one level a line, as numbers of nodes from 0.

    Level 0 are the nodes that no edge enters; any other node is one level above the highest that an edge comes from.
    A graph with a cycle has no levels, and the error names one.
    """
    from grapheme.graph import topological_generations

    asked, chosen = read_graph(graph, kind), load_backend(backend, threads)
    print_groups(topological_generations(asked, chosen), as_json)
