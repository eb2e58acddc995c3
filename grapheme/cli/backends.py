"""``grapheme backends``: what could run the kernels, and what does here."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

import click

from grapheme.cli.table import print_table

if TYPE_CHECKING:
    from grapheme.backend import BackendSpec
    from grapheme.plugins import Plugin


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
    from grapheme.backend.selection import BACKENDS

    return [_row(spec, BACKENDS.owner(name)) for name, spec in sorted(BACKENDS.all().items())]


def _row(spec: BackendSpec, owner: Plugin | None) -> Row:
    from grapheme.backend.selection import get_backend
    from grapheme.errors import BackendUnavailableError, InvalidInputError

    origin = f"{owner.distribution} {owner.version}" if owner else "unknown"
    try:
        backend = get_backend(spec.name)
    except (BackendUnavailableError, InvalidInputError) as error:
        reason = str(error).removeprefix(f"The backend '{spec.name}' cannot run here: ")
        return Row(spec.name, False, reason, "", 0, (), origin, spec.summary)
    return Row(spec.name, True, "", backend.device, backend.threads, backend.groups, origin, spec.summary)
