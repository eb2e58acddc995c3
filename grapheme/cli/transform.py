"""``grapheme transform``: what a trained network makes of a graph."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import click

from grapheme.cli.options import RUN, BackendCommand, kernel_options, load_backend

if TYPE_CHECKING:
    from grapheme.domains import Domain
    from grapheme.graph.abstract import AbstractGraph
    from grapheme.training.run import Run


@click.command("transform", cls=BackendCommand)
@RUN
@click.argument("given", metavar="INPUT")
@click.option(
    "--draw", type=click.Path(path_type=Path, dir_okay=False), help="Draw both graphs and the edits into FILE."
)
@click.option("--steps", type=click.IntRange(min=1), default=1, show_default=True, help="Transform the result again.")
@click.option("--json", "as_json", is_flag=True, help="Print both graphs and the edits as JSON.")
@kernel_options
def transform_command(
    run: Path, given: str, draw: Path | None, steps: int, as_json: bool, backend: str, threads: int | None
) -> None:
    """Print what the network of RUN makes of INPUT: a file, or text, mathematics or code as it is.

    \b
    grapheme transform runs/boolean-0 "(x and True) or False"
    grapheme transform runs/code-0 program.py --draw edits.png
    """
    from grapheme.training.run import Run
    from grapheme.transform import load
    from grapheme.transform.apply import apply_edits
    from grapheme.transform.coding import CodedGraph

    opened = Run.open(run)
    model = load(run)
    domain = _domain(opened)
    chosen = load_backend(backend, threads)
    source: AbstractGraph = domain.parse(_content(given))
    for _ in range(steps - 1):
        source = model(source, chosen)
    edits = model.edits([CodedGraph.of(source, model.vocabulary)], chosen)[0]
    result = apply_edits(edits, model.vocabulary)
    if draw is not None:
        from grapheme.transform.pictures import save_edits

        save_edits(draw, source, result, edits, model.vocabulary)
        click.echo(f"Wrote {draw}", err=True)
    click.echo(_json(source, result, domain) if as_json else _written(result, domain))


def _domain(run: Run) -> Domain:
    from grapheme.errors import InvalidInputError
    from grapheme.experiments.edits import EditExperiment

    task = run.experiment()
    if not isinstance(task, EditExperiment):
        raise InvalidInputError(f"The experiment '{task.name}' does not say how its graphs are written.")
    return task.task.domain


def _content(given: str) -> str:
    """Return what INPUT says, or what the file of that name holds."""
    from grapheme.errors import InvalidInputError

    path = Path(given)
    try:
        return path.read_text("utf-8") if path.is_file() else given
    except (OSError, ValueError) as error:
        if path.suffix and path.exists():
            raise InvalidInputError(f"Cannot read {path}: {error}.") from None
        return given  # too long for a name, or with characters that none has


def _written(result: AbstractGraph, domain: Domain) -> str:
    """Return the result as its domain writes it, or the graph itself where it says nothing there."""
    from grapheme.errors import InvalidInputError
    from grapheme.graph import json_form

    try:
        return domain.render(result)
    except InvalidInputError as error:
        click.echo(f"The result is a graph that cannot be written as {domain.name}: {error}", err=True)
        return json_form.write(result).decode("ascii")


def _json(source: AbstractGraph, result: AbstractGraph, domain: Domain) -> str:
    from grapheme.errors import InvalidInputError
    from grapheme.graph import json_form

    try:
        text = domain.render(result)
    except InvalidInputError:
        text = None
    graphs = {name: json.loads(json_form.write(graph)) for name, graph in (("source", source), ("result", result))}
    return json.dumps({**graphs, "domain": domain.name, "text": text})
