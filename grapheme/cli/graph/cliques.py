"""``grapheme graph cliques``: all cliques of a size, or how many there are."""

from __future__ import annotations

import click

from grapheme.cli.graph.reading import kind_options, read_graph
from grapheme.cli.options import BackendCommand, kernel_options, load_backend


@click.command(cls=BackendCommand)
@click.argument("graph")
@click.option("-k", required=True, type=int, help="Nodes of a clique.")
@click.option("--count", is_flag=True, help="Print only how many there are.")
@click.option("--limit", type=click.IntRange(min=0), help="Print at most so many.")
@click.option("--max-k", type=int, default=12, show_default=True, help="Refuse larger cliques, which may never end.")
@kind_options
@kernel_options
def cliques(
    graph: str, k: int, count: bool, limit: int | None, max_k: int, kind: str | None, backend: str, threads: int | None
) -> None:
    """Print the cliques of K nodes of GRAPH, one a line, as numbers of nodes from 0."""
    from grapheme.graph import count_k_cliques, iter_k_cliques

    asked, chosen = read_graph(graph, kind), load_backend(backend, threads)
    if count:
        click.echo(count_k_cliques(asked, k, chosen, max_k=max_k))
        return
    for rows in iter_k_cliques(asked, k, limit=limit, backend=chosen, max_k=max_k):
        click.echo("\n".join("\t".join(map(str, row)) for row in rows.tolist()))
