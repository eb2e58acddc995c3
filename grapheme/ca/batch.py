"""What an automaton learns from in an epoch."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from grapheme.arrays import Bits, Floats
from grapheme.backend import Backend
from grapheme.ca.hard import HardCircuit

UNMADE = 0.05
"""With more than this share of cells wrong there is no picture yet to be mended."""


@dataclass(frozen=True)
class GridBatch:
    """Grids to start from, grids to reach, and in how many steps."""

    x: Floats | Bits
    y: Floats | Bits
    steps: int
    fire: Bits | None = None


@dataclass(frozen=True)
class Wounds:
    """Grids that the circuit brings to rest, and cells of them (rounds, samples, height, width) that then go dark.

    After each round but the last there are ``pause`` steps; ``meanwhile`` says which cells fire in all of these. After
    the last, the circuit has ``steps`` to mend what it can, with ``fire``. It shall come back to the picture of
    ``rest`` or to its inverse, whichever it was nearer to before.
    """

    rest: GridBatch
    dark: Bits
    pause: int
    meanwhile: Bits | None
    steps: int
    fire: Bits | None

    def batch(self, circuit: HardCircuit, backend: Backend) -> GridBatch | None:
        """Return the damaged grids of a circuit, or None if there is hardly anything in them to be damaged."""
        bits = circuit.run(self.rest.x, self.rest.steps, self.rest.fire, backend)
        shown = bits[:, list(circuit.layout.visible)]
        wanted = in_phase(self.rest.y > 0.5, shown)
        if (shown != wanted).mean() > UNMADE:
            return None
        for time, dark in enumerate(self.dark):
            if time:
                now = slice((time - 1) * self.pause, time * self.pause)
                bits = circuit.run(bits, self.pause, None if self.meanwhile is None else self.meanwhile[now], backend)
            bits &= ~dark[:, None]
        return GridBatch(bits, wanted, self.steps, self.fire)


def in_phase(wanted: Bits, shown: Bits) -> Bits:
    """Return each wanted picture (samples, channel, height, width), or its inverse where that is nearer to the shown.

    Which of the two phases of a checkerboard appears on a grid depends on its size, and neither is wrong.
    """
    wrong = (wanted != shown).mean(axis=(1, 2, 3), keepdims=True)
    return np.asarray(wanted ^ (wrong > 0.5))
