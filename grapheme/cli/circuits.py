"""How commands open a hard circuit: from a run's folder or from an exported JSON file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from grapheme.ca.export import Document
    from grapheme.experiments.automaton import AutomatonExperiment


def open_circuit(path: Path) -> Document:
    """Return the circuit of a run or of a file, with the name of its experiment."""
    from grapheme.ca import load
    from grapheme.ca.export.document import Document, read, start_of
    from grapheme.experiments.automaton import as_automaton
    from grapheme.training.run import Run

    if path.is_file():
        return read(path)
    run = Run.open(path)
    task = as_automaton(run.experiment())
    model = load(path)
    model.visible = model.visible or task.loss_channels
    return Document(model.harden(), task.name, start_of(task.batch(run.settings.seed, 0, 0).x > 0.5))


def circuit_experiment(path: Path, name: str | None = None) -> tuple[Document, AutomatonExperiment]:
    """Return the circuit of a run or of a file, and the experiment that it was to learn.

    A file says what it learnt by name alone, ``rule-B36/S23`` for a rule; ``name`` is taken instead, if given.
    """
    from grapheme.experiments.automaton import as_automaton
    from grapheme.training.experiment import experiment
    from grapheme.training.run import Run

    opened = open_circuit(path)
    if path.is_dir() and name is None:
        return opened, as_automaton(Run.open(path).experiment())
    called = name or opened.name
    rule = called.removeprefix("rule-")
    found = experiment("rule", {"rule": rule}) if rule != called else experiment(called)
    return opened, as_automaton(found)
