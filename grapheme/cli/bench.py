"""``grapheme bench``: this machine's backends side by side."""

from __future__ import annotations

import csv
import datetime
import platform
from dataclasses import asdict, astuple, dataclass, fields
from pathlib import Path

import click

from grapheme.cli.table import print_table

BUDGET = 0.5
"""Seconds for one piece of work."""


@dataclass(frozen=True)
class Row:
    """One piece of work on one backend."""

    work: str
    kernel: str
    backend: str
    threads: int
    milliseconds: float
    times_faster_than_numpy: float


@click.command()
@click.option(
    "--backend", "names", multiple=True, help="Measure only this one beside numpy; may be given more than once."
)
@click.option(
    "--append", type=click.Path(path_type=Path, dir_okay=False), help="Add the rows to a CSV, with date and machine."
)
def bench(names: tuple[str, ...], append: Path | None) -> None:
    """Measure the backends on standard work and show how they compare with the oracle."""
    rows = _measure(names)
    print_table(
        [field.name.replace("_", " ") for field in fields(Row)],
        [
            (r.work, r.kernel, r.backend, str(r.threads), f"{r.milliseconds:.3f}", f"{r.times_faster_than_numpy:.1f}")
            for r in rows
        ],
    )
    if append is not None:
        _append(append, rows)


def _measure(names: tuple[str, ...]) -> list[Row]:
    from grapheme.backend import Backend
    from grapheme.backend.parallelism import cores
    from grapheme.backend.selection import get_backend, usable_backends
    from grapheme.cli.standard_work import standard_work

    chosen = names or tuple(backend.name for backend in usable_backends())
    oracle, backends = get_backend("numpy"), list[Backend]()
    for name in (name for name in chosen if name != "numpy"):
        found = [get_backend(name, threads=threads) for threads in sorted({1, cores()})]
        backends += found if found[0].threads != found[-1].threads else found[:1]
    rows = []
    for work in standard_work():
        reference = work.seconds(oracle, BUDGET)
        for backend in (oracle, *backends):
            seconds = reference if backend is oracle else work.seconds(backend, BUDGET)
            if seconds is not None and reference is not None:
                ratio = reference / seconds
                rows.append(Row(work.name, work.kernel, backend.name, backend.threads, 1e3 * seconds, ratio))
    return rows


def _append(path: Path, rows: list[Row]) -> None:
    from grapheme import __version__
    from grapheme.errors import RunError

    stamp = {
        "date": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        "machine": platform.node(),
        "version": __version__,
    }
    try:
        with open(path, "a", newline="") as file:
            writer = csv.writer(file)
            if file.tell() == 0:
                writer.writerow([*stamp, *asdict(rows[0])])
            writer.writerows([*stamp.values(), *astuple(row)] for row in rows)
    except OSError as error:
        raise RunError(f"Cannot write {path}: {error.strerror}.") from error
