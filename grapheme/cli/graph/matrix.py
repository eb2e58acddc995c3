"""``grapheme graph matrix``: the edit distances of all graphs in a folder."""

from __future__ import annotations

import io
from pathlib import Path
from typing import TYPE_CHECKING

import click

from grapheme.cli.graph.progress import shown
from grapheme.cli.graph.reading import ENDINGS, read_graph
from grapheme.cli.options import BackendCommand, kernel_options, load_backend

if TYPE_CHECKING:
    from grapheme.graph import EditDistances


@click.command(cls=BackendCommand)
@click.argument("folder", type=click.Path(path_type=Path))
@click.option(
    "--out",
    type=click.Path(path_type=Path, dir_okay=False),
    default="distances.npz",
    show_default=True,
    help="File to write.",
)
@click.option("--timeout", type=click.FloatRange(min=0), help="Seconds after which to write what is proved so far.")
@click.option("--quiet", is_flag=True, help="Print nothing but errors.")
@kernel_options
def matrix(folder: Path, out: Path, timeout: float | None, quiet: bool, backend: str, threads: int | None) -> None:
    """Write the edit distances between all graphs in FOLDER.

    The file holds the arrays names, lower and upper, which numpy.load reads; where lower and upper are equal, they are
    the distance.
    """
    from grapheme.errors import InvalidInputError
    from grapheme.graph import edit_distances

    files = _files(folder)
    if not out.absolute().parent.is_dir():  # better now than after the work
        raise InvalidInputError(f"Cannot write {out}: there is no folder {out.parent}.")
    graphs, chosen = [read_graph(str(file), None) for file in files], load_backend(backend, threads)
    with shown("pairs", quiet) as progress:
        found = edit_distances(graphs, timeout=timeout, backend=chosen, progress=progress)
    _write(out, [file.name for file in files], found)
    if not quiet:
        click.echo(f"Wrote {out}: {len(files)} graphs, {found.optimal.mean():.0%} of the distances exact")


def _files(folder: Path) -> list[Path]:
    from grapheme.errors import InvalidInputError

    if not folder.is_dir():
        raise InvalidInputError(f"There is no folder {folder}.")
    files = sorted(path for path in folder.iterdir() if path.suffix.lower() in ENDINGS and path.is_file())
    if not files:
        raise InvalidInputError(
            f"The folder {folder} holds no graphs: no file whose name ends in {', '.join(ENDINGS)}."
        )
    return files


def _write(path: Path, names: list[str], found: EditDistances) -> None:
    import numpy as np

    from grapheme.files import write_whole

    buffer = io.BytesIO()
    np.savez_compressed(buffer, names=np.array(names), lower=found.lower, upper=found.upper)
    write_whole(path, buffer.getvalue())
