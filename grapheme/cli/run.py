"""``grapheme run``: watch a trained circuit."""

from __future__ import annotations

from pathlib import Path

import click

from grapheme.cli.options import RUN, BackendCommand, Size, kernel_options, load_backend

FIRE_PROBABILITY = 0.6


@click.command("run", cls=BackendCommand)
@RUN
@click.option("--grid", type=Size(), default="64x64", show_default=True, help="Height and width of the grid.")
@click.option("--steps", type=click.IntRange(min=1), default=100, show_default=True, help="Steps to run.")
@click.option(
    "--async",
    "asynchronous",
    is_flag=True,
    help=f"Let each cell fire with probability {FIRE_PROBABILITY} in each step.",
)
@click.option("--gif", type=click.Path(path_type=Path, dir_okay=False), help="Write a film to FILE.")
@click.option("--png", type=click.Path(path_type=Path, dir_okay=False), help="Write a strip of moments to FILE.")
@click.option("--channel", type=click.IntRange(min=0), default=0, show_default=True, help="Which channel to show.")
@click.option(
    "--seed",
    type=click.IntRange(min=0),
    default=0,
    show_default=True,
    help="Decides the random start and which cells fire.",
)
@kernel_options
def run_command(
    run: Path, grid: tuple[int, int], steps: int, asynchronous: bool, gif: Path | None, png: Path | None,
    channel: int, seed: int, backend: str, threads: int | None,
) -> None:  # fmt: skip
    """Run the hard circuit of RUN, or of an exported JSON file, from a random start, and show how it ends.

    \b
    grapheme run runs/life-0 --grid 64x64 --steps 100 --gif life.gif
    """
    from grapheme.ca import pictures
    from grapheme.cli.circuits import open_circuit
    from grapheme.errors import InvalidInputError
    from grapheme.rng import generator

    circuit = open_circuit(run).circuit
    if channel not in circuit.layout.kept:
        kept = ", ".join(map(str, circuit.layout.kept))
        raise InvalidInputError(f"The circuit has the channels {kept}; {channel} is not one of them.")
    rng = generator(seed, "display")
    start = rng.random((1, circuit.layout.full, *grid)) < 0.5
    fire = rng.random((steps, 1, *grid)) < FIRE_PROBABILITY if asynchronous else None
    frames = [bits[0, channel] for bits in circuit.frames(start, steps, fire, load_backend(backend, threads))]
    for path, save in ((gif, pictures.save_gif), (png, pictures.save_png)):
        if path is not None:
            save(path, frames)
            click.echo(f"Wrote {path}")
    if gif is None and png is None:
        for row in frames[-1]:
            click.echo("".join("#" if cell else "." for cell in row))
