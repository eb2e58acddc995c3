"""``grapheme settle``: how soon a vote ends."""

from __future__ import annotations

from pathlib import Path

import click

SIDE = 32
PATIENCE = 200


@click.command()
@click.argument("run", type=click.Path(path_type=Path))
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Decides the random start.")
def settle(run: Path, seed: int) -> None:
    """Run the learnt circuit of RUN from random bits until it repeats itself, and show how it ends."""
    import numpy as np

    from grapheme.ca import load

    model = load(run)
    start = np.random.default_rng(seed).random((1, model.channels, SIDE, SIDE)) < 0.5
    seen: dict[bytes, int] = {}
    for steps, grid in enumerate(model.harden().frames(start, PATIENCE)):
        state = grid.tobytes()
        if state in seen:
            click.echo(f"settled after {seen[state]} steps, period {steps - seen[state]}")
            break
        seen[state] = steps
    else:
        click.echo(f"not settled after {PATIENCE} steps")
    for row in grid[0, 0]:
        click.echo("".join("#" if cell else "." for cell in row))
