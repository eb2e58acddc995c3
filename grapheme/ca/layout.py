"""Which channels of a grid a circuit keeps, and which of them people look at."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from grapheme.arrays import Bits
from grapheme.errors import InvalidInputError


@dataclass(frozen=True)
class Layout:
    """A full grid has ``full`` channels; a circuit keeps some of them, in order, and some of those are visible."""

    full: int
    kept: tuple[int, ...]
    visible: tuple[int, ...]

    def __post_init__(self) -> None:
        in_order = list(self.kept) == sorted(set(self.kept)) and len(self.kept) > 0
        if not in_order or self.kept[0] < 0 or self.kept[-1] >= self.full:
            raise InvalidInputError(
                f"The kept channels must be some of 0 to {self.full - 1}, in order; got {self.kept}."
            )
        if not self.visible or not set(self.visible) <= set(self.kept):
            raise InvalidInputError(
                f"The visible channels must be some of those kept, {self.kept}; got {self.visible}."
            )

    @classmethod
    def every(cls, channels: int, visible: Sequence[int] | None = None) -> Layout:
        """Return the layout that keeps all channels and shows ``visible``, or all."""
        kept = tuple(range(channels))
        return cls(channels, kept, kept if visible is None else tuple(int(channel) for channel in visible))

    def narrow(self, bits: Bits) -> Bits:
        """Return the kept channels of full grids (batch, full, height, width); grids of just those pass as they are."""
        return bits if bits.shape[1] == len(self.kept) else np.ascontiguousarray(bits[:, list(self.kept)])

    def widen(self, bits: Bits) -> Bits:
        """Return full grids, the channels that are not kept being 0."""
        full = np.zeros((bits.shape[0], self.full, *bits.shape[2:]), np.bool_)
        full[:, list(self.kept)] = bits
        return full
