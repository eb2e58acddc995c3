"""How an automaton is trained: the published way, or one that succeeds whatever the seed."""

from __future__ import annotations

from dataclasses import dataclass, field

from grapheme.ca.evolve import Evolution
from grapheme.ca.parametrisation import MIXTURE, AbstractParametrisation, TruthTable
from grapheme.ca.repair import Repair
from grapheme.ca.rounding import NO_ROUNDING, Rounding
from grapheme.errors import InvalidInputError
from grapheme.optim.schedules import Cooling

RECIPES = ("reliable", "paper")
"""The ways to train that may be asked for; the first is used unless another is."""


@dataclass(frozen=True, kw_only=True)
class Recipe:
    """What an experiment's table of settings leaves open."""

    lr: float
    max_steps: int
    restarts: int = 0
    """How often to start again from fresh wires while the task is not solved."""
    weight_decay: float = 0.0
    parametrisation: AbstractParametrisation = field(default_factory=TruthTable)
    rounding: Rounding
    xors: float | None = None
    """The share of XORs in kernels that start as various neighbours, or parities of some; all are the same if None."""
    coolest: float | None = None
    """The learning rate at the end of an attempt, to which it falls from ``lr``; it stays the same if None."""
    candidates: int | None = None
    """Grids drawn for each batch, of which those with the most errors are learnt from; as many as learnt, if None."""

    refined_every: int | None = None
    """Steps between looks for gates that are not needed in a nearly right circuit; None: only in the best so far."""

    evolution: Evolution | None = None
    """How a right but weak circuit is changed at random in the end; not at all, if None."""

    repair: Repair | None = None
    """When nearly right circuits are mended gate by gate; never, if None."""

    @property
    def cooling(self) -> Cooling | None:
        """How the learning rate falls in an attempt, or None."""
        return None if self.coolest is None else Cooling(self.lr, self.coolest, self.max_steps)


def published(lr: float, max_steps: int) -> Recipe:
    """Return the recipe of the paper."""
    return Recipe(lr=lr, max_steps=max_steps, weight_decay=0.01, parametrisation=MIXTURE, rounding=NO_ROUNDING)


def checked(name: str) -> str:
    """Return the name of a known recipe."""
    if name not in RECIPES:
        raise InvalidInputError(f"There is no recipe '{name}'; there are {', '.join(RECIPES)}.")
    return name
