"""Changes of a genome at random: another operation, another wire, another output, or gates put into a wire."""

from __future__ import annotations

import bisect
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from grapheme.ca.genome import Genome
from grapheme.ca.simplify.logic import Gate, Logic, reads
from grapheme.kernels.gates import AND, AND_NOT, OR, OR_NOT

MOST = 3
"""Changes that show, made at once, from one up."""

INSERT, CHOICE, OUTPUT, IN_USE = 0.1, 0.5, 0.04, 0.5
"""How often gates are put into a wire; how often these are a choice between two; of all other changes, how often one is
that of an output; how often that of a gate is one in use, not just any."""

USED, INPUT = 0.5, 0.5
"""How often a wire leads to a gate in use, and if not, how often to an input, not just to any node."""

KEEPING = (AND, AND_NOT, OR, OR_NOT)
"""Operations that pass on their first input while the second is always the same, 0 or 1."""


def changed(genome: Genome, rng: np.random.Generator) -> Genome:
    """Return a genome after as many changes as it takes until one of them shows, or a few do."""
    draft = _Draft(genome, list(genome.logic.gates), list(genome.logic.outputs), _floats(rng))
    shows = 1 + draft.below(MOST)
    while shows > 0:
        shows -= draft.change()
    return Genome(Logic(genome.logic.inputs, draft.gates, draft.outputs), genome.layout)


@dataclass(frozen=True)
class _Draft:
    """Gates and outputs under change; what is in use is taken from the genome as it was."""

    genome: Genome
    gates: list[Gate]
    outputs: list[int]
    chance: Iterator[float]

    def change(self) -> bool:
        """Make one change, and say whether it shows."""
        if not self.genome.used or self.happens((1 - INSERT) * OUTPUT):
            return self.move_output()
        return self.insert() if self.happens(INSERT) else self.change_gate()

    def move_output(self) -> bool:
        """Let a channel's next value be that of another node."""
        channel = self.below(len(self.outputs))
        self.outputs[channel] = self.node(self.genome.logic.inputs + len(self.gates))
        return channel in self.genome.channels

    def change_gate(self) -> bool:
        """Give a gate another operation, or another wire."""
        inputs, used = self.genome.logic.inputs, self.genome.used
        gate = used[self.below(len(used))] - inputs if self.happens(IN_USE) else self.below(len(self.gates))
        old = code, a, b = self.gates[gate]
        part = self.below(3)
        if part == 0:
            new = (self.below(16), a, b)
        else:
            node = self.node(inputs + gate)
            new = (code, node, b) if part == 1 else (code, a, node)
        self.gates[gate] = new
        return inputs + gate in self.genome.in_use and (old[0], reads(old)) != (new[0], reads(new))

    def insert(self) -> bool:
        """Put a gate into a wire of one in use, or three: if a bit is set then another one, else what was there.

        Gates that nothing depends on become these, if enough of them stand in between.
        """
        inputs, used = self.genome.logic.inputs, self.genome.used
        reader, first, three = used[self.below(len(used))], self.happens(0.5), self.happens(CHOICE)
        code, a, b = self.gates[reader - inputs]
        source = a if first else b
        free = [node for node in range(max(source + 1, inputs), reader) if node not in self.genome.in_use]
        chosen = sorted({free[self.below(len(free))] for _ in range(3 if three else 1)}) if free else []
        if len(chosen) < (3 if three else 1):
            return False
        for node, gate in zip(chosen, self._inserted(source, chosen), strict=True):
            self.gates[node - inputs] = gate
        self.gates[reader - inputs] = (code, chosen[-1], b) if first else (code, a, chosen[-1])
        return True

    def _inserted(self, source: int, nodes: list[int]) -> list[Gate]:
        """Return the gates to stand at one node, or at three, between a source and what reads it."""
        if len(nodes) == 1:
            return [(KEEPING[self.below(len(KEEPING))], source, self.node(nodes[0]))]
        bit, other = self.node(nodes[0]), self.node(nodes[0])
        return [(AND, bit, other), (AND_NOT, source, bit), (OR, nodes[0], nodes[1])]

    def node(self, end: int) -> int:
        """Return a node before ``end``: of a gate in use, of an input, or any."""
        lower = bisect.bisect_left(self.genome.used, end)
        if lower and self.happens(USED):
            return self.genome.used[self.below(lower)]
        return self.below(self.genome.logic.inputs if self.happens(INPUT) else end)

    def happens(self, probability: float) -> bool:
        """Say yes so often."""
        return next(self.chance) < probability

    def below(self, count: int) -> int:
        """Return a number from 0 up to ``count - 1``."""
        return int(next(self.chance) * count)


def _floats(rng: np.random.Generator) -> Iterator[float]:
    """Yield numbers from 0 up to 1, drawn many at a time."""
    while True:
        yield from rng.random(64).tolist()
