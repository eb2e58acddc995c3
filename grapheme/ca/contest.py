"""Trials one after another: how a circuit does in each, and which of many circuits do better than another one."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from grapheme.backend import Backend
from grapheme.ca.hard import HardCircuit
from grapheme.ca.prune import Errors
from grapheme.errors import InvalidInputError
from grapheme.kernels.trial import Circuits, Trial

UNBOUNDED = 2**62

LAG = 0.02
"""A circuit that is behind the leader by this share of all that the leader has to bear is given up."""


@dataclass(frozen=True)
class Heat:
    """A trial, how many values may be wrong in it, and the weight of a wrong one."""

    trial: Trial
    allowed: int = 0
    weight: float = 1.0


@dataclass(frozen=True)
class Contest:
    """Heats that run on a backend."""

    heats: tuple[Heat, ...]
    backend: Backend

    def errors(self, circuit: HardCircuit) -> Errors:
        """Return how many values are wrong in each heat, beyond those allowed."""
        found = self.no_worse(circuit, (UNBOUNDED,) * len(self.heats))
        assert found is not None
        return found

    def no_worse(self, circuit: HardCircuit, most: Errors) -> Errors | None:
        """Return the errors of a circuit, or None as soon as there are more than ``most`` in any heat."""
        alone, errors = Circuits.of(circuit.netlist, circuit.codes), []
        for heat, limit in zip(self.heats, most, strict=True):
            bound = min(limit + heat.allowed, UNBOUNDED)
            wrong = int(self._wrong(heat, alone, np.array([bound]))[0])
            if wrong > bound:
                return None
            errors.append(max(0, wrong - heat.allowed))
        return tuple(errors)

    def weigh(self, errors: Errors) -> float:
        """Return the sum of the errors in all heats but the first, each by its weight."""
        return sum(heat.weight * count for heat, count in zip(self.heats[1:], errors[1:], strict=True))

    def burdens(self, circuits: Circuits) -> np.ndarray:
        """Return what each circuit has to bear (circuits, heats) up to each heat: wrong values by their weights."""
        return self._run(circuits, np.full(len(self.heats), np.inf))

    def race(self, circuits: Circuits, leader: np.ndarray, most: float) -> np.ndarray:
        """Return the burdens of circuits, infinite from the heat on in which one comes to more than ``most``.

        It also drops out where it is too far behind the burdens (heats,) of a leader, however few gates it has.
        """
        return self._run(circuits, np.minimum(leader + LAG * leader[-1], most))

    def _run(self, circuits: Circuits, bounds: np.ndarray) -> np.ndarray:
        burdens = np.full((len(circuits), len(self.heats)), np.inf)
        left, borne = np.arange(len(circuits)), np.zeros(len(circuits))
        for place, (heat, bound) in enumerate(zip(self.heats, bounds.tolist(), strict=True)):
            most = _values(bound - borne, heat.weight)
            wrong = self._wrong(heat, circuits.take(left), most)
            stays = wrong <= most
            left, borne = left[stays], (borne + heat.weight * wrong)[stays]
            burdens[left, place] = borne
            if not len(left):
                break
        return burdens

    def _wrong(self, heat: Heat, circuits: Circuits, most: np.ndarray) -> np.ndarray:
        has, asked = circuits.outputs.shape[1], heat.trial.start.shape[1]
        if has != asked:
            raise InvalidInputError(f"A circuit of {has} channels cannot be tried on grids of {asked}.")
        wrong = self.backend.batch.hard_errors(circuits, heat.trial, self.backend.asarray(most))
        return self.backend.to_numpy(wrong)


def _values(burdens: np.ndarray, weight: float) -> np.ndarray:
    """Return how many wrong values (n,) int64 come to no more than some burdens; a little more is let through."""
    values = np.floor(burdens / weight + 1e-6)
    return np.where(values < UNBOUNDED, np.clip(values, -1, UNBOUNDED), UNBOUNDED).astype(np.int64)
