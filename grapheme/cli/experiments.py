"""``grapheme experiments``: what can be trained."""

from __future__ import annotations

import json

import click

from grapheme.cli.table import print_table


@click.command("experiments")
@click.option("--json", "as_json", is_flag=True, help="Print the list as JSON, with the options of each.")
def experiments_command(as_json: bool) -> None:
    """List everything that can be trained, with a sentence each."""
    from grapheme.training.experiment import EXPERIMENTS

    specs = list(EXPERIMENTS.all().values())
    if as_json:
        rows = [
            {"name": spec.name, "summary": spec.summary, "options": [option.name for option in spec.all_options]}
            for spec in specs
        ]
        click.echo(json.dumps(rows, indent=2))
        return
    print_table(("name", "what is learnt"), [(spec.name, spec.summary) for spec in specs])
