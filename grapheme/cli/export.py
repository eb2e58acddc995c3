"""``grapheme export``: a circuit as a file for another program or for people."""

from __future__ import annotations

from pathlib import Path

import click

from grapheme.cli.options import RUN


@click.command("export")
@RUN
@click.option(
    "--format",
    "format_",
    type=click.Choice(["json", "verilog", "c", "dot", "html"]),
    help="What to write; the suffix of FILE decides if not given.",
)
@click.option("--out", type=click.Path(path_type=Path, dir_okay=False), required=True, help="The file to write.")
@click.option(
    "--simplify/--no-simplify", default=True, show_default=True, help="Drop gates and channels that nobody needs."
)
def export_command(run: Path, format_: str | None, out: Path, simplify: bool) -> None:
    """Write the hard circuit of RUN, or of an exported JSON file, for another program.

    \b
    grapheme export runs/life-0 --out life.html      a page that runs it, without a network
    grapheme export runs/life-0 --out life.json      to be read again; docs/circuit-format.md explains it
    grapheme export runs/life-0 --out life.v         Verilog: a cell, and a whole grid
    grapheme export runs/life-0 --out life.c         C, 64 cells a word
    grapheme export runs/life-0 --out life.dot       the gates, for Graphviz
    """
    from dataclasses import replace

    from grapheme.ca.export import write
    from grapheme.cli.circuits import open_circuit

    opened = open_circuit(run)
    before = opened.circuit.netlist.gates
    if simplify:
        opened = replace(opened, circuit=opened.circuit.simplify())
    write(opened, out, format_)
    layout = opened.circuit.layout
    click.echo(
        f"Wrote {out}: {opened.circuit.netlist.gates} of {before} gates, {len(layout.kept)} of {layout.full} channels."
    )
