"""``grapheme cortex``: ask a trained cortex, and see which brains answered."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from grapheme.cli.options import RUN, BackendCommand, kernel_options, load_backend

if TYPE_CHECKING:
    from grapheme.cortex import CollaborativeResult, Cortex


@click.command("cortex", cls=BackendCommand)
@RUN
@click.argument("input", required=False)
@click.option("--json", "as_json", is_flag=True, help="Print a line of JSON for each input.")
@kernel_options
def cortex_command(run: Path, input: str | None, as_json: bool, backend: str, threads: int | None) -> None:
    """Ask the cortex of RUN what INPUT becomes, and show which brains fired and with what weight.

    Without INPUT, every line of the standard input is one.

    \b
    grapheme cortex runs/cortex-0 "x*y where x = 3"
    grapheme cortex runs/cortex-0 "total = total + 1"
    grapheme cortex runs/cortex-0 old_name
    """
    from grapheme.cortex.answer import answer

    cortex = _open(run)
    texts = [input] if input is not None else [line.rstrip("\n") for line in sys.stdin if line.strip()]
    for result in answer(cortex, texts, load_backend(backend, threads)):
        _check(result)
        click.echo(json.dumps(_record(result))) if as_json else _show(result)


def _open(run: Path) -> Cortex:
    from grapheme.cortex import load

    return load(run)


def _check(result: CollaborativeResult) -> None:
    """Refuse an input on which no brain fired, and say why each did not."""
    from grapheme.errors import InvalidInputError

    if result.brain is None:
        reasons = " ".join(f"{each.brain}: {each.reason}" for each in result.activations)
        raise InvalidInputError(f"No brain fires on '{result.input}'. {reasons}")


def _record(result: CollaborativeResult) -> dict[str, object]:
    return {
        "input": result.input,
        "output": result.text,
        "brain": result.brain,
        "activations": [asdict(activation) for activation in result.activations],
    }


def _show(result: CollaborativeResult) -> None:
    from grapheme.cli.table import print_table

    rows = [
        [each.brain, f"{each.confidence:.3f}", f"{each.weight:.3f}" if each.fired else "-", each.reason]
        for each in result.activations
    ]
    print_table(["brain", "confidence", "weight", "why not"], rows)
    click.echo(f"{result.brain}:")
    click.echo(result.text if result.text is not None else "(a graph that cannot be written)")
