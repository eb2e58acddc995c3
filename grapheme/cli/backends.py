"""``grapheme backends``: what could run the kernels, and what does here."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass

import click

from grapheme.cli.table import print_table


@dataclass(frozen=True)
class Row:
    """One backend as the table shows it."""

    name: str
    usable: bool
    reason: str
    device: str
    threads: int
    kernels: tuple[str, ...]
    origin: str
    summary: str


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print the table as JSON.")
def backends(as_json: bool) -> None:
    """List the backends: which can run here, on what, and where they come from."""
    rows = _rows()
    if as_json:
        click.echo(json.dumps([asdict(row) for row in rows], indent=2))
        return
    print_table(
        ("name", "runs here", "device", "threads", "kernels", "from", "what it is"),
        [
            (
                row.name,
                "yes" if row.usable else f"no: {row.reason}",
                row.device,
                str(row.threads or ""),
                " ".join(row.kernels),
                row.origin,
                row.summary,
            )
            for row in rows
        ],
    )


def _rows() -> list[Row]:
    from grapheme.backend.parallelism import thread_count
    from grapheme.backend.selection import list_backends
    from grapheme.plugins import plugins

    origins = {plugin.name: f"{plugin.distribution} {plugin.version}" for plugin in plugins().found}
    owners = {spec.name: owner for owner, spec in plugins().collect("grapheme_backends")}
    rows = []
    for spec in list_backends():
        reason = spec.probe()
        backend = spec.load(thread_count(None)) if reason is None else None
        device, threads = (backend.device, backend.threads) if backend else ("", 0)
        rows.append(
            Row(
                spec.name,
                reason is None,
                reason or "",
                device,
                threads,
                spec.groups,
                origins[owners[spec.name]],
                spec.summary,
            )
        )
    return rows
