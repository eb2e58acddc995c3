"""What an automaton learns from in an epoch."""

from __future__ import annotations

from dataclasses import dataclass

from grapheme.arrays import Bits, Floats


@dataclass(frozen=True)
class GridBatch:
    """Grids to start from, grids to reach, and in how many steps."""

    x: Floats | Bits
    y: Floats | Bits
    steps: int
    fire: Bits | None = None
