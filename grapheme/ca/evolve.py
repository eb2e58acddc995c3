"""Makes a right circuit sturdier by changes at random, the best of many at a time, each judged by trials.

Training goes where the gradient leads, on the wires that it was given. What it comes to, small and right once it is
pruned, can still be changed a gate at a time: another operation, another wire. Most changes break it, which shows at
once; some do nothing, and a few make it sturdier. The trials are drawn anew now and then: a circuit that is changed a
thousand times for one draw becomes good at that draw only.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from grapheme.ca.contest import Contest
from grapheme.ca.genome import Genome, together
from grapheme.ca.hard import HardCircuit
from grapheme.ca.mutation import changed

CHILDREN = 32
"""Changed circuits of which the best one may take its parent's place."""

PRICE = 1.0
"""What a gate must be worth, in wrong values by their weights."""


@dataclass(frozen=True, kw_only=True)
class Evolution:
    """How long a circuit is changed."""

    shrinking: int
    """How often the trials are drawn the first time, when only growth is asked for and gates are dropped."""
    times: int
    """How often a circuit is changed in this way at most; each time goes on with what came of the one before."""
    draws: int
    """How often the trials are drawn anew each time."""
    generations: int
    """Generations for each draw."""


def evolved(
    circuit: HardCircuit, contests: Iterable[Contest], generations: int, deepest: int, rng: np.random.Generator
) -> HardCircuit:
    """Return what became of a circuit in some generations for each of the contests.

    No more than ``deepest`` gates will stand one upon another, unless more do so now.
    """
    genome = Genome.of(circuit, rng)
    for contest in contests:
        genome = _adapted(genome, contest, generations, deepest, rng)
    return genome.circuit(circuit)


def _adapted(parent: Genome, contest: Contest, generations: int, deepest: int, rng: np.random.Generator) -> Genome:
    """Return what became of a genome in some generations; a child that does as well takes its parent's place."""
    leader = contest.burdens(together([parent]))[0]
    for _ in range(generations):
        children = [changed(parent, rng) for _ in range(CHILDREN)]
        most = leader[-1] + PRICE * parent.size
        burdens = contest.race(together(children), leader, most)
        priced = [
            (borne + PRICE * children[child].size, child)
            for child, borne in enumerate(burdens[:, -1].tolist())
            if borne <= most and children[child].depth <= max(deepest, parent.depth)
        ]
        if priced and min(priced)[0] <= most:
            child = min(priced)[1]
            parent, leader = children[child], burdens[child]
    return parent
