"""``grapheme evaluate`` for networks that edit graphs: how many graphs come out exactly right."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import click

from grapheme.cli.table import print_table

if TYPE_CHECKING:
    from grapheme.backend import Backend
    from grapheme.experiments.edits import EditExperiment
    from grapheme.transform import GraphEditNet


def edit_run(run: Path) -> tuple[GraphEditNet, EditExperiment] | None:
    """Return the network and the experiment of a run, or None if it holds something else."""
    if run.is_file():
        return None
    from grapheme.experiments.edits import EditExperiment
    from grapheme.experiments.registry import experiment
    from grapheme.training.run import Run
    from grapheme.transform import GraphEditNet

    opened = Run.open(run)
    task = experiment(opened.settings.experiment, opened.folder)
    if not isinstance(task, EditExperiment):
        return None
    model, _ = opened.best()
    assert isinstance(model, GraphEditNet)
    return model, task


def evaluate_edits(
    run: Path, model: GraphEditNet, task: EditExperiment, backend: Backend, as_json: bool, png: Path | None
) -> None:
    """Print the share of pairs of each set whose source becomes exactly its target."""
    from grapheme.errors import InvalidInputError
    from grapheme.experiments.edits import right

    if png is not None:
        raise InvalidInputError("There is no picture of this test; draw single graphs with: grapheme transform --draw")
    sets = {"train": task.sets.train, "validation": task.sets.validation, "test": task.sets.test}
    sets |= {name: pairs() for name, pairs in task.beyond.items()}
    rows = [
        (name, len(pairs), float(right(model, pairs, backend).mean()) if pairs else 1.0) for name, pairs in sets.items()
    ]
    if as_json:
        tests = [{"set": name, "pairs": pairs, "exact": share} for name, pairs, share in rows]
        click.echo(json.dumps({"run": str(run), "experiment": task.name, "tests": tests}, indent=2))
        return
    print_table(("set", "pairs", "exactly right"), [(name, str(pairs), f"{share:.4f}") for name, pairs, share in rows])
