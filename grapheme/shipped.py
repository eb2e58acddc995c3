"""What ships with grapheme, announced through the same hooks as anybody's."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from grapheme.plugins.hooks import hookimpl

if TYPE_CHECKING:
    from grapheme.cortex.brain import Brain
    from grapheme.domains import Domain
    from grapheme.models.family import ModelSpec
    from grapheme.models.model import AbstractModel, Tensors
    from grapheme.training.experiment import ExperimentSpec


@hookimpl
def grapheme_experiments() -> Iterator[ExperimentSpec]:
    """Announce the experiments."""
    from grapheme.experiments.specs import shipped_experiments

    yield from shipped_experiments()


@hookimpl
def grapheme_models() -> Iterator[ModelSpec]:
    """Announce the model families; what reads a checkpoint imports its family."""
    from grapheme.models.family import ModelSpec

    yield ModelSpec(kind="automaton", summary="differentiable logic cellular automata", load=_automaton)
    yield ModelSpec(kind="edit-network", summary="networks that edit graphs", load=_edit_network)
    yield ModelSpec(kind="cortex", summary="brains fused by attention: a mixture of experts", load=_cortex)


@hookimpl
def grapheme_domains() -> Iterator[Domain]:
    """Announce the domains."""
    from grapheme.domains.boards import BOARD
    from grapheme.domains.formulas import FORMULA
    from grapheme.domains.numerals import NUMBER
    from grapheme.domains.shipped import CODE, GRAPH, TEXT
    from grapheme.domains.statements import MATH

    yield from (MATH, CODE, TEXT, FORMULA, NUMBER, BOARD, GRAPH)


@hookimpl
def grapheme_brains() -> Iterator[Brain]:
    """Announce the brains."""
    from grapheme.cortex.shipped import CODE_BRAIN, MATH_BRAIN, TEXT_BRAIN

    yield from (CODE_BRAIN, MATH_BRAIN, TEXT_BRAIN)


def _automaton(tensors: Tensors) -> AbstractModel:
    from grapheme.ca import DiffLogicCA

    return DiffLogicCA.from_tensors(tensors)


def _edit_network(tensors: Tensors) -> AbstractModel:
    from grapheme.transform import GraphEditNet

    return GraphEditNet.from_tensors(tensors)


def _cortex(tensors: Tensors) -> AbstractModel:
    from grapheme.cortex import Cortex

    return Cortex.from_tensors(tensors)
