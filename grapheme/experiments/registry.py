"""Finds experiments by name."""

from __future__ import annotations

from pathlib import Path

from grapheme.errors import InvalidInputError, nearest
from grapheme.experiments.grow import NAME as GROW
from grapheme.experiments.grow import grow_experiment, kept_picture
from grapheme.experiments.pairs import KEPT, pairs_experiment
from grapheme.experiments.rule import PREFIX, rule_experiment
from grapheme.plugins import plugins
from grapheme.training.experiment import AbstractExperiment

OF_PAIRS = ("cortex:", "pairs:")
"""Begin the names of experiments that learn the pairs of a file, followed by what these are, as in ``pairs:math``."""


def experiments() -> dict[str, AbstractExperiment]:
    """Return all experiments by name; two of one name are an error that names both plugins."""
    owner: dict[str, str] = {}
    found: dict[str, AbstractExperiment] = {}
    for plugin, experiment in plugins().collect("grapheme_experiments"):
        if experiment.name in found:
            raise InvalidInputError(
                f"Two plugins bring an experiment called '{experiment.name}': "
                f"'{owner[experiment.name]}' and '{plugin}'. Uninstall one."
            )
        owner[experiment.name], found[experiment.name] = plugin, experiment
    return found


def experiment(name: str, folder: Path | None = None) -> AbstractExperiment:
    """Return an experiment, or say which there are; ``rule-B36/S23`` and the like are made on demand.

    ``folder`` is that of a run, for experiments whose data it keeps.
    """
    if name.startswith(PREFIX):
        return rule_experiment(name.removeprefix(PREFIX))
    if name == GROW:
        if folder is None or not folder.is_dir():
            raise InvalidInputError("Growing needs a picture: grapheme train grow --image FILE")
        return grow_experiment(kept_picture(folder))
    if name == "pairs" or name.startswith(OF_PAIRS):
        if folder is None or not folder.is_dir():
            raise InvalidInputError("Pairs are learnt with: grapheme train pairs --pairs FILE")
        return pairs_experiment(name, folder / KEPT)
    known = experiments()
    if name not in known:
        raise InvalidInputError(f"There is no experiment '{name}'; there are {', '.join(known)}.{nearest(name, known)}")
    return known[name]
