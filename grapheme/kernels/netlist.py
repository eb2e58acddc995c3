"""A circuit of two-input gates as flat arrays: the one form in which every backend sees a network."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from grapheme.arrays import Ints
from grapheme.errors import InvalidInputError


@dataclass(frozen=True, eq=False)
class Netlist:
    """Gates in topological order; immutable, so a backend may keep what it derives from one.

    Nodes ``0 .. inputs-1`` are the inputs. Gate ``g`` writes node ``inputs + g`` and reads nodes ``a[g]`` and
    ``b[g]``, both smaller. It takes row ``param[g]`` of the parameters; gates that share a row share weights.
    ``outputs`` names the nodes that leave the circuit.
    """

    inputs: int
    a: Ints
    b: Ints
    param: Ints
    outputs: Ints
    parameters: int

    @classmethod
    def build(
        cls, inputs: int, a: ArrayLike, b: ArrayLike, param: ArrayLike, outputs: ArrayLike, parameters: int
    ) -> Netlist:
        """Return a checked netlist of any integer sequences; the arrays become read-only int32."""
        return cls(
            inputs,
            _integers("a", a),
            _integers("b", b),
            _integers("param", param),
            _integers("outputs", outputs),
            parameters,
        )

    def __post_init__(self) -> None:
        if self.inputs < 1:
            raise InvalidInputError(f"A netlist needs at least one input; got {self.inputs}.")
        if not len(self.a) == len(self.b) == len(self.param):
            raise InvalidInputError(
                f"The arrays a, b and param must be equally long; got {len(self.a)}, {len(self.b)}, {len(self.param)}."
            )
        writes = np.arange(self.inputs, self.nodes)
        for name, reads in (("a", self.a), ("b", self.b)):
            self._check(name, reads < writes, "reads a node that is not written before it")
            self._check(name, reads >= 0, "reads a negative node")
        self._check(
            "param", (self.param >= 0) & (self.param < self.parameters), "takes a parameter row that does not exist"
        )
        if not np.all((self.outputs >= 0) & (self.outputs < self.nodes)):
            raise InvalidInputError(f"The outputs must name nodes 0 to {self.nodes - 1}.")

    def _check(self, name: str, good: np.ndarray, problem: str) -> None:
        if not good.all():
            gate = int(np.argmin(good))
            raise InvalidInputError(f"Gate {gate} {problem} ({name} = {getattr(self, name)[gate]}).")

    @property
    def gates(self) -> int:
        """How many gates are evaluated."""
        return len(self.a)

    @property
    def nodes(self) -> int:
        """Inputs and gates together."""
        return self.inputs + len(self.a)

    def live_gates(self) -> Ints:
        """Return the gates, in order, that some output depends on."""
        needed = np.zeros(self.nodes, np.bool_)
        front = self.outputs
        while len(front):
            needed[front] = True
            above = front[front >= self.inputs] - self.inputs
            below = np.concatenate([self.a[above], self.b[above]])
            front = np.unique(below[~needed[below]])
        return np.flatnonzero(needed[self.inputs :]).astype(np.int32)

    def depths(self) -> Ints:
        """Return the depth (nodes,) of each node; gates of one depth do not read each other."""
        return np.array(depths(self.inputs, zip(self.a.tolist(), self.b.tolist(), strict=True)), np.int32)


def depths(inputs: int, reads: Iterable[Sequence[int]]) -> list[int]:
    """Return the depth of inputs and gates, given the nodes that each gate reads, in topological order.

    It is 0 for inputs, else one more than that of the deepest node read; 1 for a gate that reads nothing.
    """
    found = [0] * inputs
    for nodes in reads:
        found.append(1 + max([found[node] for node in nodes], default=0))
    return found


def _integers(name: str, values: ArrayLike) -> Ints:
    array = np.asarray(values)
    if array.ndim != 1 or (array.size and not np.issubdtype(array.dtype, np.integer)):
        raise InvalidInputError(
            f"The netlist's array {name} must be one row of integers; got {array.dtype} of shape {array.shape}."
        )
    result = np.array(array, dtype=np.int32)
    result.setflags(write=False)
    return result
