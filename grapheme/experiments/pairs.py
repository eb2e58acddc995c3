"""Experiments with the pairs of a file, which a run keeps, so that the file may change or go."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from grapheme.training.experiment import AbstractExperiment

KEPT = "pairs.jsonl"
"""The pairs' name in a run's folder."""


def pairs_experiment(name: str, file: Path) -> AbstractExperiment:
    """Return the experiment ``cortex:DOMAIN`` or ``pairs:DOMAIN``, whose file names no other domain for most sides."""
    kind, domain = name.split(":", 1)
    return (_of_cortex if kind == "cortex" else _of_network)(name, domain, file)


def _of_cortex(name: str, domain: str, file: Path) -> AbstractExperiment:
    from grapheme.cortex.samples import read_samples, split
    from grapheme.experiments.cortex import CortexExperiment

    sets = split(read_samples(file, domain), seed=0)
    return CortexExperiment(
        name=name,
        summary=f"a cortex of the samples of {file.name}",
        samples=lambda: sets,
        attached={KEPT: file.read_bytes()},
    )


def _of_network(name: str, domain: str, file: Path) -> AbstractExperiment:
    from grapheme.datasets.files import read_task
    from grapheme.experiments.edits import task_experiment

    task = replace(read_task(file, domain), name=name)
    return replace(task_experiment(task), attached={KEPT: file.read_bytes()})
