"""A circuit of hard gates: operations instead of mixtures, bits instead of numbers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import final

import numpy as np
from numpy.typing import ArrayLike

from grapheme.arrays import Bits
from grapheme.backend import Backend
from grapheme.backend.selection import resolve
from grapheme.ca import checks
from grapheme.ca.layout import Layout
from grapheme.kernels import gates
from grapheme.kernels.cell import Boundary
from grapheme.kernels.netlist import Netlist


@final
@dataclass(frozen=True, eq=False)
class HardCircuit:
    """The rule of an automaton as a netlist and an operation code (parameters,) uint8 for each parameter row.

    ``keeps`` says which channels of a full grid the circuit has; all, if None.
    """

    netlist: Netlist
    codes: np.ndarray
    boundary: Boundary
    keeps: Layout | None = None

    @classmethod
    def load(cls, path: str | Path) -> HardCircuit:
        """Return the circuit of a JSON file that ``export`` wrote."""
        from grapheme.ca.export.document import read

        return read(Path(path)).circuit

    @property
    def channels(self) -> int:
        """How many bits a cell has."""
        return len(self.netlist.outputs)

    @property
    def layout(self) -> Layout:
        """Which channels of a full grid the circuit has, and which of them people look at."""
        return self.keeps or Layout.every(self.channels)

    def run(
        self, grids: ArrayLike, steps: int, fire: ArrayLike | None = None, backend: Backend | str | None = None
    ) -> Bits:
        """Return the bits (batch, channel, height, width) after ``steps`` steps; numbers above one half count as 1.

        Grids may have the circuit's own channels or all those of a full grid; the result is like them. Channels that
        the circuit does not keep come out 0.
        """
        given = self.bits(grids)
        bits = self.layout.narrow(given)
        chosen = resolve(backend)
        mask = checks.fire(fire, checks.steps(steps), bits.shape)
        result = chosen.batch.hard_rollout(
            self.netlist,
            chosen.asarray(self.codes),
            chosen.asarray(bits),
            steps,
            self.boundary,
            None if mask is None else chosen.asarray(mask),
        )
        final = chosen.to_numpy(result)
        return final if final.shape == given.shape else self.layout.widen(final)

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
        full = array.ndim == 4 and array.shape[1] == self.layout.full
        bits = array if array.dtype == np.bool_ else array > 0.5
        return checks.grids(self.layout.full if full else self.channels, bits, np.dtype(np.bool_))

    def simplify(self, visible: Sequence[int] | None = None) -> HardCircuit:
        """Return a circuit with as few gates and channels as are found that shows the same forever.

        ``visible`` channels are those that people look at; those of the layout, if None. Channels that never reach
        one of them are dropped; all others keep every bit of their behaviour.
        """
        from grapheme.ca.simplify import simplify

        return simplify(self, visible)

    def export(self, path: str | Path, format: str | None = None, name: str = "automaton") -> None:
        """Write the circuit as "json", "verilog", "c", "dot" or "html"; the file's suffix decides, if None."""
        from grapheme.ca.export import Document, write

        write(Document(self, name), Path(path), format)

    def histogram(self) -> dict[str, int]:
        """Return how many parameter rows have each of the sixteen operations."""
        counts = Counter(self.codes.tolist())
        return {name: counts[code] for code, name in enumerate(gates.NAMES)}

    def active_gates(self) -> int:
        """Return how many parameter rows do not just pass an input through, as the published counts have it."""
        return int(np.isin(self.codes, gates.WIRES, invert=True).sum())
