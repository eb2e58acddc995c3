"""``grapheme plugins``: what is installed, and what failed to load."""

from __future__ import annotations

import json
from dataclasses import asdict

import click

from grapheme.cli.table import print_table
from grapheme.plugins import plugins


@click.command("plugins")
@click.option("--json", "as_json", is_flag=True, help="Print the table as JSON.")
def plugins_command(as_json: bool) -> None:
    """List the installed plugins and why any of them failed to load."""
    found = plugins().found
    if as_json:
        click.echo(json.dumps([asdict(plugin) for plugin in found], indent=2))
        return
    print_table(
        ("name", "module", "from", "loaded"),
        [(p.name, p.module, f"{p.distribution} {p.version}", f"no: {p.error}" if p.error else "yes") for p in found],
    )
