"""How an automaton is trained: the published way, or one that succeeds whatever the seed."""

from __future__ import annotations

from dataclasses import dataclass, field

from grapheme.errors import InvalidInputError
from grapheme.interfaces import RECIPES
from grapheme.parametrisation import MIXTURE, AbstractParametrisation, TruthTable


@dataclass(frozen=True, kw_only=True)
class Recipe:
    """What an experiment's table of settings leaves open."""

    lr: float
    epochs: int
    restarts: int = 0
    """How often to start again from fresh wires while the task is not solved."""
    weight_decay: float = 0.0
    parametrisation: AbstractParametrisation = field(default_factory=TruthTable)
    rounding: float
    """The share of gates that are rounded in each step."""
    candidates: int | None = None
    """Grids drawn for each batch, of which those with the most errors are learnt from; as many as learnt, if None."""


def published(lr: float, epochs: int) -> Recipe:
    """Return the recipe of the paper."""
    return Recipe(lr=lr, epochs=epochs, weight_decay=0.01, parametrisation=MIXTURE, rounding=0.0)


def checked(name: str) -> str:
    """Return the name of a known recipe."""
    if name not in RECIPES:
        raise InvalidInputError(f"There is no recipe '{name}'; there are {', '.join(RECIPES)}.")
    return name
