"""``grapheme verify``: the conformance suite on this machine."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING

import click

from grapheme.cli.options import BackendCommand, kernel_options, load_backend
from grapheme.cli.table import print_table

if TYPE_CHECKING:
    from grapheme.testing import Outcome


@click.command(cls=BackendCommand)
@kernel_options
@click.option("--json", "as_json", is_flag=True, help="Print every case as JSON.")
def verify(backend: str, threads: int | None, as_json: bool) -> None:
    """Run every kernel of a backend against the oracle, and say which agree."""
    from grapheme.testing import conform

    chosen = load_backend(backend, threads)
    outcomes = conform(chosen)
    if as_json:
        click.echo(json.dumps([asdict(outcome) for outcome in outcomes], indent=2))
    else:
        print_table(("kernel", "cases", "wrong", "largest difference", "seconds"), _rows(outcomes))
    wrong = [outcome for outcome in outcomes if outcome.problem]
    for outcome in wrong:
        click.echo(f"{outcome.kernel}, {outcome.case}: {outcome.problem}", err=True)
    if wrong:
        raise SystemExit(1)


def _rows(outcomes: Sequence[Outcome]) -> list[tuple[str, ...]]:
    rows: list[tuple[str, ...]] = []
    for kernel in dict.fromkeys(outcome.kernel for outcome in outcomes):
        own = [outcome for outcome in outcomes if outcome.kernel == kernel]
        worst = max(outcome.difference for outcome in own)
        wrong = sum(outcome.problem is not None for outcome in own)
        rows.append((kernel, str(len(own)), str(wrong), f"{worst:.2g}", f"{sum(o.seconds for o in own):.3f}"))
    return rows
