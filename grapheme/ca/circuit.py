"""The circuit of a cell, perception and update, as one netlist."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from grapheme.ca.wiring import CENTRE, Wires
from grapheme.errors import InvalidInputError
from grapheme.kernels.netlist import Netlist


def cell_netlist(channels: int, kernels: int, perceive: Sequence[Wires], update: Sequence[Wires]) -> Netlist:
    """Return the netlist of one cell.

    Every kernel looks at every channel's 3x3 neighbourhood through the layers ``perceive``; all share the wires, each
    kernel has parameters of its own, and all channels share those. The update reads the C centre values and then, for
    channel, for output bit, for kernel, what the kernels saw. Parameter rows: the perceive layers, each kernel by
    kernel, then the update layers.
    """
    gates = _Gates(9 * channels)
    first_rows = np.cumsum([0] + [kernels * len(a) for a, _ in perceive]).tolist()
    seen = {
        (c, k): gates.stack(
            [p * channels + c for p in range(9)],
            perceive,
            [row + k * len(a) for row, (a, _) in zip(first_rows, perceive, strict=False)],
        )
        for c in range(channels)
        for k in range(kernels)
    }
    bits = len(perceive[-1][0])
    features = [CENTRE * channels + c for c in range(channels)]
    features += [seen[c, k][s] for c in range(channels) for s in range(bits) for k in range(kernels)]
    update_rows = np.cumsum([first_rows[-1]] + [len(a) for a, _ in update]).tolist()
    outputs = gates.stack(features, update, update_rows)
    if len(outputs) != channels:
        raise InvalidInputError(
            f"The last update layer must have as many gates as there are channels, {channels}; it has {len(outputs)}."
        )
    return Netlist.build(9 * channels, gates.a, gates.b, gates.param, outputs, update_rows[-1])


class _Gates:
    """Gates written one after another."""

    def __init__(self, inputs: int) -> None:
        self.next = inputs
        self.a: list[int] = []
        self.b: list[int] = []
        self.param: list[int] = []

    def stack(self, features: list[int], layers: Sequence[Wires], rows: Sequence[int]) -> list[int]:
        """Add layers on top of the nodes ``features``, parameters from ``rows`` on; return the last layer's nodes."""
        for (a, b), row in zip(layers, rows, strict=False):
            width = len(a)
            if width and max(int(np.max(a)), int(np.max(b))) >= len(features):
                raise InvalidInputError(
                    f"A layer reads input {max(int(np.max(a)), int(np.max(b)))}, but has only {len(features)}."
                )
            self.a += [features[i] for i in a]
            self.b += [features[i] for i in b]
            self.param += range(row, row + width)
            features = list(range(self.next, self.next + width))
            self.next += width
        return features
