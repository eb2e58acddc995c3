"""``grapheme new-backend``: a plugin to start from."""

from __future__ import annotations

from pathlib import Path

import click


@click.command("new-backend")
@click.argument("name")
@click.option(
    "--out", type=click.Path(path_type=Path), help="Folder to write; it must not exist.  [default: grapheme-NAME]"
)
def new_backend(name: str, out: Path | None) -> None:
    """Write a plugin distribution for a backend called NAME, which works as it is.

    \b
    grapheme new-backend mine
    pip install -e 'grapheme-mine[test]'
    """
    from grapheme.scaffold import write_backend

    folder = out or Path(f"grapheme-{name.replace('_', '-')}")
    for path in write_backend(name, folder):
        click.echo(f"Wrote {path}")
    click.echo(f"Next:  pip install -e '{folder}[test]'  and then  grapheme verify --backend {name}")
