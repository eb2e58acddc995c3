"""The differentiable logic cellular automaton: a grid of cells whose rule is a learnt circuit of gates."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any, Self, final

import numpy as np
from numpy.typing import ArrayLike

from grapheme.arrays import Array, Floats
from grapheme.backend import Backend
from grapheme.backend.selection import resolve
from grapheme.ca import beginning, checks, objective
from grapheme.ca.circuit import cell_netlist
from grapheme.ca.hard import HardCircuit
from grapheme.ca.layout import Layout
from grapheme.ca.objective import LossAndGrad
from grapheme.ca.wiring import Wires, first_kernel, unique
from grapheme.errors import InvalidInputError
from grapheme.kernels import gates
from grapheme.kernels.cell import BOUNDARIES, Boundary
from grapheme.models.model import AbstractModel, Tensors
from grapheme.models.parameters import Parameters
from grapheme.rng import generator

Layer = tuple[ArrayLike, ArrayLike, ArrayLike]

LOGITS = "logits"
"""The name of the one array of parameters."""


@final
class DiffLogicCA(AbstractModel):
    """A grid of cells that all follow one soft circuit: perception kernels, then an update network.

    ``parameters (P, 16)`` are the logits of all gates, the perceive layers first; ``logits`` shows them layer by layer.
    """

    kind = "automaton"

    def __init__(
        self,
        channels: int,
        kernels: int,
        boundary: Boundary,
        perceive: Sequence[Wires],
        update: Sequence[Wires],
        parameters: Floats,
    ) -> None:
        self.channels = checks.positive("channels", channels)
        self.kernels = checks.positive("kernels", kernels)
        self.boundary = checks.boundary(boundary)
        self.perceive, self.update = list(perceive), list(update)
        self.netlist = cell_netlist(channels, kernels, self.perceive, self.update)
        self.visible: tuple[int, ...] | None = None
        """The channels that people look at: those that a trainer's loss is about; all, if None."""
        self._parameters = Parameters({LOGITS: checks.logits(parameters, self.netlist.parameters)})

    @classmethod
    def build(
        cls,
        channels: int,
        kernels: int,
        perceive: Sequence[int],
        update: Sequence[int],
        boundary: Boundary = "periodic",
        seed: int = 0,
        dtype: str = "float32",
        rng: np.random.Generator | None = None,
        xors: float | None = None,
    ) -> Self:
        """Return an automaton with the published wiring and every gate passing its first input through.

        With ``xors``, a share, kernels start as neighbours chosen at random instead (0), or as parities of some.

        ``perceive`` and ``update`` are the widths of the layers. Either may begin with the width of its input (9;
        channels + channels * bits * kernels), as the published tables do: a first width equal to the input is taken
        as that.
        """
        rng = rng or generator(seed, "wiring")
        checks.positive("channels", channels)
        checks.positive("kernels", kernels)
        widths = checks.widths("perceive", perceive, 9)
        layers = [first_kernel(rng)] + [unique(i, o, rng) for i, o in itertools.pairwise(widths)]
        if widths[0] != len(layers[0][0]):
            raise InvalidInputError(f"The first perceive layer has 8 gates, one for each neighbour; got {widths[0]}.")
        features = channels * (1 + kernels * widths[-1])
        above = checks.widths("update", update, features)
        update_layers = [unique(i, o, rng) for i, o in zip([features, *above], above, strict=False)]
        codes = beginning.start(kernels, layers, sum(above), checks.xors(xors), rng)
        logits = beginning.logits_of(codes, checks.dtype(dtype))
        return cls(channels, kernels, boundary, layers, update_layers, logits)

    @classmethod
    def from_layers(cls, channels: int, boundary: Boundary, perceive: Sequence[Layer], update: Sequence[Layer]) -> Self:
        """Return an automaton with given wires and logits.

        ``perceive``: (logits (K, n, 16), a (n,), b (n,)) for each layer, wires shared by all kernels and channels;
        ``update``: (logits (n, 16), a (n,), b (n,)) for each layer.
        """
        if not perceive or not update:
            raise InvalidInputError("An automaton needs at least one perceive layer and one update layer.")
        tables = [checks.layer(layer, dimensions=3) for layer in perceive] + [
            checks.layer(layer, dimensions=2) for layer in update
        ]
        kernels = {len(logits) for logits, _ in tables[: len(perceive)]}
        if len(kernels) != 1:
            raise InvalidInputError(f"All perceive layers must have the same number of kernels; got {sorted(kernels)}.")
        logits = np.concatenate([logits.reshape(-1, 16) for logits, _ in tables])
        wires = [wires for _, wires in tables]
        return cls(channels, kernels.pop(), boundary, wires[: len(perceive)], wires[len(perceive) :], logits)

    @property
    def logits(self) -> dict[str, list[Floats]]:
        """The logits by layer: "perceive" (K, n, 16) and "update" (n, 16), as a copy on the host."""
        return self.by_layer(self.to_host())

    @property
    def dtype(self) -> np.dtype[Any]:
        """The dtype of parameters and grids."""
        return self.to_host().dtype

    def to_host(self) -> Floats:
        """Return the parameters (P, 16) as a numpy array."""
        return self._parameters.tensors()[LOGITS]

    def place(self, backend: Backend) -> None:
        """Move the parameters to where ``backend`` works."""
        self._parameters.place(backend)

    def parameters_on(self, backend: Backend) -> Array:
        """Return the parameters (P, 16) as an array of ``backend``."""
        return self._parameters.on(backend)[LOGITS]

    def set_parameters(self, parameters: Array, backend: Backend) -> None:
        """Replace the parameters by an array of ``backend``."""
        self._parameters.replace({LOGITS: parameters}, backend)

    def by_layer(self, rows: Floats) -> dict[str, list[Floats]]:
        """Cut rows (P, 16), one a parameter row, into arrays shaped as the layers' logits."""
        shapes = [(self.kernels, len(a)) for a, _ in self.perceive] + [(len(a),) for a, _ in self.update]
        ends = np.cumsum([int(np.prod(shape)) for shape in shapes])
        parts = [part.reshape(*shape, 16) for part, shape in zip(np.split(rows, ends[:-1]), shapes, strict=True)]
        return {"perceive": parts[: len(self.perceive)], "update": parts[len(self.perceive) :]}

    def loss_and_grad(
        self,
        x: ArrayLike,
        y: ArrayLike,
        steps: int,
        loss_channels: Sequence[int] | None = None,
        fire: ArrayLike | None = None,
        backend: Backend | str | None = None,
    ) -> LossAndGrad:
        """Return loss, final grids and gradient after ``steps`` soft steps from ``x (batch, channel, height, width)``.

        The loss is the sum of squared differences to ``y`` over ``loss_channels`` (all, if None), cells and samples;
        ``y`` has either all channels or just those. ``fire (steps, batch, height, width)`` says which cells update;
        all, if None.
        """
        problem = checks.problem(self, x, y, steps, loss_channels, fire)
        return objective.loss_and_grad(self, problem, resolve(backend))

    def rollout(
        self,
        x: ArrayLike,
        steps: int,
        hard: bool = False,
        fire: ArrayLike | None = None,
        backend: Backend | str | None = None,
    ) -> np.ndarray:
        """Return the grids after ``steps`` steps of soft gates, or of hard ones (as bits)."""
        if hard:
            return self.harden().run(x, steps, fire, backend)
        grids = checks.grids(self.channels, x, self.dtype)
        mask = checks.fire(fire, checks.steps(steps), grids.shape)
        return objective.rollout(self, grids, steps, mask, resolve(backend))

    def harden(self) -> HardCircuit:
        """Return the circuit in which every gate is its heaviest operation."""
        codes = gates.operation_codes(self.to_host(), np)
        return HardCircuit(self.netlist, codes, self.boundary, Layout.every(self.channels, self.visible))

    def with_codes(self, codes: np.ndarray) -> Self:
        """Return an automaton with the same wires and gates that are nearly sure of operations (P,)."""
        return self.from_tensors(self.tensors() | {LOGITS: beginning.logits_of(codes, self.dtype)})

    def tensors(self) -> Tensors:
        """Return wires and logits under their names."""
        wires = {
            f"{part}.{index}.{side}": array
            for part, layers in (("perceive", self.perceive), ("update", self.update))
            for index, layer in enumerate(layers)
            for side, array in zip("ab", layer, strict=True)
        }
        shape = np.array([self.channels, self.kernels, BOUNDARIES.index(self.boundary)], np.int64)
        visible = np.array(range(self.channels) if self.visible is None else self.visible, np.int64)
        return {"shape": shape, "visible": visible, **self._parameters.tensors(), **wires}

    @classmethod
    def from_tensors(cls, tensors: Tensors) -> Self:
        """Return the model that ``tensors`` describe."""
        channels, kernels, boundary = tensors["shape"].tolist()
        perceive, update = (
            [
                (tensors[f"{part}.{i}.a"], tensors[f"{part}.{i}.b"])
                for i in range(sum(k.startswith(f"{part}.") for k in tensors) // 2)
            ]
            for part in ("perceive", "update")
        )
        model = cls(channels, kernels, BOUNDARIES[boundary], perceive, update, tensors[LOGITS])
        model.visible = tuple(tensors["visible"].tolist()) if "visible" in tensors else None
        return model
