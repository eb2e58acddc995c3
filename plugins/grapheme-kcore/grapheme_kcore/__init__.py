"""Message passing that learns the k-core of graphs: a model family and an experiment for grapheme."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from grapheme import hookimpl

if TYPE_CHECKING:
    from grapheme.models.family import ModelSpec
    from grapheme.models.model import AbstractModel, Tensors
    from grapheme.options import Options
    from grapheme.training.experiment import AbstractExperiment, ExperimentSpec


@hookimpl
def grapheme_models() -> Iterator[ModelSpec]:
    """Announce the model family, so that its checkpoints can be read."""
    from grapheme.models.family import ModelSpec

    yield ModelSpec(kind="message-passing", summary="one rule of message passing for all nodes", load=_load_model)


@hookimpl
def grapheme_experiments() -> Iterator[ExperimentSpec]:
    """Announce the experiment with its options."""
    from grapheme.options import Option
    from grapheme.training.experiment import ExperimentSpec

    core = Option(name="core", kind=int, default=2, least=1, most=4, help="The k of the k-core to learn.")
    width = Option(name="width", kind=int, default=8, least=1, most=256, help="Numbers in the state of a node.")
    yield ExperimentSpec(
        name="k-core",
        summary="Learn which nodes are in the k-core of a graph, by message passing.",
        load=_load_experiment,
        options=(core, width),
        examples=("grapheme train k-core", "grapheme train k-core --core 3 --width 16"),
        samples=_samples,
    )


def _load_model(tensors: Tensors) -> AbstractModel:
    from grapheme_kcore.model import MessagePassing

    return MessagePassing(tensors)


def _load_experiment(options: Options, folder: Path | None) -> AbstractExperiment:
    from grapheme_kcore.experiment import KCore

    chosen = {name: value for name, value in options.items() if value is not None}  # max_steps has no default here
    return KCore(**chosen)


def _samples() -> Iterator[str]:
    from grapheme_kcore.experiment import samples

    return samples()
