"""Which brains fired on which samples, as flat arrays, and the parameters by which they are fused."""

from __future__ import annotations

from dataclasses import dataclass

from grapheme.arrays import Floats, Ints
from grapheme.kernels.csr import Offsets
from grapheme.kernels.parameters import ParameterLayout


@dataclass(frozen=True, eq=False)
class FusionArrays:
    """A row for each brain that fired on a sample, sample by sample."""

    offsets: Offsets
    """(samples + 1,): the rows of each sample."""
    brains: Ints
    """(rows,): which brain fired, ascending in a sample."""
    confidence: Floats
    """(rows,): and how confident it was."""

    def __len__(self) -> int:
        return len(self.offsets) - 1


@dataclass(frozen=True)
class FusionLayout(ParameterLayout):
    """The attention that weighs brains, and the projection of what they see together."""

    brains: int
    embed: int
    hidden: int

    def shapes(self) -> dict[str, tuple[int, ...]]:
        """Return the attention's layer, a row for each brain, what confidence adds, the query, and the projection."""
        return {
            "attend": (self.embed, self.hidden),
            "identity": (self.brains, self.hidden),
            "trust": (1, self.hidden),
            "query": (self.hidden, 1),
            "project": (self.embed, self.embed),
            "bias": (self.embed,),
        }
