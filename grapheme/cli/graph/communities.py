"""``grapheme graph communities``: groups of nodes held together by cliques."""

from __future__ import annotations

import click

from grapheme.cli.graph.printing import print_groups
from grapheme.cli.graph.reading import kind_options, read_graph
from grapheme.cli.options import BackendCommand, kernel_options, load_backend


@click.command(cls=BackendCommand)
@click.argument("graph")
@click.option("-k", required=True, type=int, help="Nodes of the cliques that make a community.")
@click.option("--json", "as_json", is_flag=True, help="Print a list of communities as JSON.")
@kind_options
@kernel_options
def communities(graph: str, k: int, as_json: bool, kind: str | None, backend: str, threads: int | None) -> None:
    """Print the communities of GRAPH, one a line, as numbers of nodes from 0.

    A community is the union of cliques of K nodes that can be reached from one another by changing one node at a time
    (Palla et al. 2005). A node may be in several communities, or in none.
    """
    from grapheme.graph import k_clique_communities

    asked, chosen = read_graph(graph, kind), load_backend(backend, threads)
    print_groups(k_clique_communities(asked, k, chosen), as_json)
