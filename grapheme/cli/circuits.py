"""How commands open a hard circuit: from a run's folder or from an exported JSON file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from grapheme.ca.export import Document
    from grapheme.experiments.automaton import AutomatonExperiment


def open_circuit(path: Path) -> Document:
    """Return the circuit of a run or of a file, with the name of its experiment."""
    from grapheme.ca import DiffLogicCA
    from grapheme.ca.export.document import Document, read, start_of
    from grapheme.training.run import Run

    if path.is_file():
        return read(path)
    run = Run.open(path)
    task = automaton_experiment(run.settings.experiment, path)
    model, _ = run.best()
    assert isinstance(model, DiffLogicCA)
    model.visible = model.visible or task.loss_channels
    return Document(model.harden(), task.name, start_of(task.batch(run.settings.seed, 0, 0).x > 0.5))


def automaton_experiment(name: str, folder: Path | None = None) -> AutomatonExperiment:
    """Return the experiment of that name with its start and target; ``folder`` is that of its run, if there is one."""
    from grapheme.errors import InvalidInputError
    from grapheme.experiments.automaton import AutomatonExperiment
    from grapheme.experiments.registry import experiment

    task = experiment(name, folder)
    if not isinstance(task, AutomatonExperiment):
        raise InvalidInputError(f"The experiment '{name}' does not train an automaton.")
    return task
