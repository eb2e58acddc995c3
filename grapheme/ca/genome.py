"""A circuit that is to be changed at random: its gates among others that nothing depends on yet.

A change of a gate in use shows at once. Changes of the others cost nothing, pile up, and come into use when a wire is
moved to them; without such neutral changes evolution comes to rest soon (Miller and Thomson, 2000, whose form of a
circuit this is).
"""

from __future__ import annotations

import functools
from dataclasses import dataclass

import numpy as np

from grapheme.ca.hard import HardCircuit
from grapheme.ca.layout import Layout
from grapheme.ca.prune import below
from grapheme.ca.simplify.channels import reaching
from grapheme.ca.simplify.logic import Gate, Logic
from grapheme.ca.wiring import CENTRE
from grapheme.kernels import gates
from grapheme.kernels.trial import Circuits

SPARE = 60
"""Gates that nothing depends on at first, beside as many as are in use."""

BESIDE = (1, 3, 5, 7)
"""The four neighbours that share an edge with a cell."""


@dataclass(frozen=True, eq=False)
class Genome:
    """Gates in topological order, any of which may read any node before it; the rule of an automaton."""

    logic: Logic
    layout: Layout

    @classmethod
    def of(cls, circuit: HardCircuit, rng: np.random.Generator) -> Genome:
        """Return a circuit whose gates are spread among others at random, with flags in channels that are idle."""
        inputs, own = circuit.netlist.inputs, circuit.netlist.gates
        total = 2 * own + SPARE
        places = np.sort(rng.choice(total, own, replace=False))
        node = np.concatenate([np.arange(inputs), inputs + places]).tolist()
        drawn: list[Gate] = [(int(rng.integers(16)), *_two(rng, inputs + g)) for g in range(total)]
        logic = Logic.of(circuit.netlist, circuit.codes)
        for place, (code, a, b) in zip(places.tolist(), logic.gates, strict=True):
            drawn[place] = (code, node[a], node[b])
        genome = cls(Logic(inputs, drawn, [node[out] for out in logic.outputs]), circuit.layout)
        return genome._with_flags(rng)

    @functools.cached_property
    def channels(self) -> list[int]:
        """The channels that a visible one ever depends on."""
        return reaching(self.logic, [self.layout.kept.index(channel) for channel in self.layout.visible])

    @functools.cached_property
    def used(self) -> list[int]:
        """The nodes of gates, ascending, that these channels depend on."""
        logic = self.logic
        return below(logic, range(logic.inputs + len(logic.gates)), [logic.outputs[c] for c in self.channels])

    @functools.cached_property
    def in_use(self) -> frozenset[int]:
        """The same nodes as a set."""
        return frozenset(self.used)

    @property
    def size(self) -> int:
        """How many gates are in use, but for wires."""
        return sum(self.logic.gates[node - self.logic.inputs][0] not in gates.WIRES for node in self.used)

    @property
    def depth(self) -> int:
        """How many gates in use stand one upon another at most."""
        depth = self.logic.depths()
        return max((depth[node] for node in self.used), default=0)

    def circuit(self, like: HardCircuit) -> HardCircuit:
        """Return the gates in use as a circuit; channels that no visible one depends on keep their values."""
        logic, inputs, channels = self.logic, self.logic.inputs, len(self.logic.outputs)
        place = {node: inputs + i for i, node in enumerate(self.used)}

        def new(node: int) -> int:
            return node if node < inputs else place.get(node, 0)

        kept = [(code, new(a), new(b)) for code, a, b in (logic.gates[node - inputs] for node in self.used)]
        outputs = [new(out) if c in self.channels else CENTRE * channels + c for c, out in enumerate(logic.outputs)]
        netlist, codes = Logic(inputs, kept, outputs).netlist()
        return HardCircuit(netlist, codes, like.boundary, like.keeps)

    def _with_flags(self, rng: np.random.Generator) -> Genome:
        """Return the genome with something in the channels that are not in use.

        Cells that went dark cannot be told from others by the pattern itself. The first idle channel is set as soon as
        a cell fires, the second as soon as it is set in the cell or in one beside it; the others are at random.
        """
        logic, new, outputs = self.logic, list(self.logic.gates), list(self.logic.outputs)
        count = len(outputs)
        idle = [channel for channel in range(count) if channel not in self.channels]
        for channel in idle[:1]:
            new.append((gates.TRUE, 0, 0))
            outputs[channel] = logic.inputs + len(new) - 1
        for channel in idle[1:2]:
            outputs[channel] = CENTRE * count + channel
            for beside in BESIDE:
                new.append((gates.OR, outputs[channel], beside * count + channel))
                outputs[channel] = logic.inputs + len(new) - 1
        for channel in idle[2:]:
            outputs[channel] = int(rng.integers(logic.inputs + len(new)))
        return Genome(Logic(logic.inputs, new, outputs), self.layout)


def together(genomes: list[Genome]) -> Circuits:
    """Return genomes of the same size as flat arrays."""
    codes, a, b = np.array([genome.logic.gates for genome in genomes], np.int32).transpose(2, 0, 1)
    outputs = np.array([genome.logic.outputs for genome in genomes], np.int32)
    wires = np.ascontiguousarray(a), np.ascontiguousarray(b)
    return Circuits(genomes[0].logic.inputs, codes.astype(np.uint8), *wires, outputs)


def _two(rng: np.random.Generator, nodes: int) -> tuple[int, int]:
    a, b = rng.integers(0, nodes, 2).tolist()
    return a, b
