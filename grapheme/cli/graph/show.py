"""``grapheme graph show``: what a graph looks like."""

from __future__ import annotations

from pathlib import Path

import click

from grapheme.cli.graph.reading import kind_options, read_graph


@click.command()
@click.argument("graph")
@click.option("--png", type=click.Path(path_type=Path, dir_okay=False), help="Draw it into FILE.")
@click.option("--html", type=click.Path(path_type=Path, dir_okay=False), help="Write a page to look around in to FILE.")
@kind_options
def show(graph: str, png: Path | None, html: Path | None, kind: str | None) -> None:
    """Draw GRAPH, or print its edges if no file is asked for."""
    from grapheme.graph import pictures

    asked = read_graph(graph, kind)
    for path, save in ((png, pictures.save_png), (html, pictures.save_html)):
        if path is not None:
            save(path, asked)
            click.echo(f"Wrote {path}")
    if png is None and html is None:
        click.echo(repr(asked))
        names, arrow = pictures.captions(asked), "->" if asked.directed else "--"
        for a, b in asked.edge_list.tolist():
            click.echo(f"{a} {names[a]} {arrow} {b} {names[b]}")
