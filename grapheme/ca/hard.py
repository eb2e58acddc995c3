"""A circuit of hard gates: operations instead of mixtures, bits instead of numbers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import final

import numpy as np
from numpy.typing import ArrayLike

from grapheme import gates
from grapheme.arrays import Bits
from grapheme.backend import Backend
from grapheme.ca import checks
from grapheme.kernels.cell import Boundary
from grapheme.netlist import Netlist
from grapheme.selection import resolve


@final
@dataclass(frozen=True, eq=False)
class HardCircuit:
    """The rule of an automaton as a netlist and an operation code (parameters,) uint8 for each parameter row."""

    netlist: Netlist
    codes: np.ndarray
    boundary: Boundary

    @property
    def channels(self) -> int:
        """How many bits a cell has."""
        return len(self.netlist.outputs)

    def run(
        self, grids: ArrayLike, steps: int, fire: ArrayLike | None = None, backend: Backend | str | None = None
    ) -> Bits:
        """Return the bits (batch, channel, height, width) after ``steps`` steps; numbers above one half count as 1."""
        bits = self.bits(grids)
        chosen = resolve(backend)
        mask = checks.fire(fire, checks.steps(steps), bits.shape)
        result = chosen.kernel("batch.hard_rollout")(
            self.netlist,
            chosen.asarray(self.codes),
            chosen.asarray(bits),
            steps,
            self.boundary,
            None if mask is None else chosen.asarray(mask),
        )
        return chosen.to_numpy(result)

    def frames(
        self, grids: ArrayLike, steps: int, fire: ArrayLike | None = None, backend: Backend | str | None = None
    ) -> Iterator[Bits]:
        """Yield the bits at the start and after each of ``steps`` steps."""
        bits, chosen = self.bits(grids), resolve(backend)
        mask = checks.fire(fire, checks.steps(steps), bits.shape)
        yield bits
        for t in range(steps):
            bits = self.run(bits, 1, None if mask is None else mask[t : t + 1], chosen)
            yield bits

    def bits(self, grids: ArrayLike) -> Bits:
        """Return grids of numbers or bits as bits."""
        array = np.asarray(grids)
        return checks.grids(self.channels, array if array.dtype == np.bool_ else array > 0.5, np.dtype(np.bool_))

    def histogram(self) -> dict[str, int]:
        """Return how many parameter rows have each of the sixteen operations."""
        counts = Counter(self.codes.tolist())
        return {name: counts[code] for code, name in enumerate(gates.NAMES)}

    def active_gates(self) -> int:
        """Return how many parameter rows do not just pass an input through, as the published counts have it."""
        return int(np.isin(self.codes, gates.WIRES, invert=True).sum())
