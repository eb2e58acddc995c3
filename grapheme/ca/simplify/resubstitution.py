"""Resubstitution: a gate is written anew in terms of other nodes where that lets gates die.

A gate only has to be right for those inputs at which some output notices it. With the truth tables of all nodes at
hand, every pair of other nodes is tried at once: a pair will do if no combination of its values is met both with a 1
that matters and with a 0 that matters.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from grapheme.ca.simplify import constants, dead, inverters, sharing, wires
from grapheme.ca.simplify.logic import Gate, Logic, reads, truth_table
from grapheme.kernels import gates

MOST_INPUTS = 12
"""The tables double with every input."""

MOST_GATES = 600
PATIENCE = 12
"""Rounds without a gain before the search ends. They make changes that cost nothing, which may open a way."""

CANDIDATES = 8
"""Pairs that are tried in the place of one gate."""


def resubstitute(logic: Logic, patience: int = PATIENCE) -> Logic:
    """Return logic with as few gates as a search finds; the same ones every time."""
    if not logic.gates or not fits(logic):
        return logic
    rng = np.random.default_rng(0)
    best, idle = logic, 0
    while idle < patience:
        logic = _round(logic, rng, sideways=idle > 0)
        idle = 0 if len(logic.gates) < len(best.gates) else idle + 1
        best = logic if len(logic.gates) < len(best.gates) else best
    return best


def fits(logic: Logic) -> bool:
    """Say whether truth tables of all nodes can be had."""
    return len(logic.support()) <= MOST_INPUTS and len(logic.gates) <= MOST_GATES


def tidy(logic: Logic) -> Logic:
    """Run the cheap passes once."""
    for change in (dead.remove, constants.fold, wires.bypass, inverters.push, sharing.share):
        logic = change(logic)
    return dead.remove(inverters.push(wires.bypass(logic)))


def _round(logic: Logic, rng: np.random.Generator, sideways: bool) -> Logic:
    """Try to rewrite about as many gates as there are, one after another, in random order."""
    for draw in rng.random(len(logic.gates)):
        gate = int(draw * len(logic.gates))
        for changed in _rewritten(logic, gate, rng, sideways):
            smaller = tidy(changed)
            if len(smaller.gates) < len(logic.gates) + sideways:
                logic = smaller
                break
        if not logic.gates:
            break
    return logic


def _rewritten(logic: Logic, gate: int, rng: np.random.Generator, sideways: bool) -> Iterator[Logic]:
    """Yield the logic with another gate in the place of ``gate``, the most promising first."""
    support = logic.support()
    inputs = np.zeros((logic.inputs, truth_table(len(support)).shape[1]), np.uint64)
    inputs[support] = truth_table(len(support))
    nodes = logic.evaluate(inputs)
    node = logic.inputs + gate
    above, care = _observed(logic, nodes, gate)
    divisors = [n for n in (*support, *range(logic.inputs, len(nodes))) if n != node and n not in above]
    if not divisors:
        return
    dying = _only_for(logic, node)
    codes, x, y = _pairs(nodes[divisors], nodes[node], care)
    if len(dying) == 1 and not sideways:  # then only a node that can stand for the gate by itself is a gain
        codes, x, y = codes[x == y], x[x == y], y[x == y]
    kept_alive = np.isin(divisors, list(dying))
    ranked = np.lexsort((rng.random(len(x)), kept_alive[x].astype(int) + kept_alive[y]))
    for i in ranked[:CANDIDATES].tolist():
        new: Gate = (int(codes[i]), divisors[x[i]], divisors[y[i]])
        if new != tuple(logic.gates[gate]):
            yield Logic(logic.inputs, [*logic.gates[:gate], new, *logic.gates[gate + 1 :]], logic.outputs)


def _observed(logic: Logic, nodes: np.ndarray, gate: int) -> tuple[set[int], np.ndarray]:
    """Return the nodes that depend on ``gate``, and words with a 1 where some output changes with it."""
    changed = {logic.inputs + gate: ~nodes[logic.inputs + gate]}
    for node in range(logic.inputs + gate + 1, len(nodes)):
        code, a, b = logic.gates[node - logic.inputs]
        if a in changed or b in changed:
            changed[node] = gates.on_words(code, changed.get(a, nodes[a]), changed.get(b, nodes[b]))
    care = np.zeros_like(nodes[0])
    for output in set(logic.outputs) & set(changed):
        care |= changed[output] ^ nodes[output]
    return set(changed), care


def _pairs(divisors: np.ndarray, wanted: np.ndarray, care: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return code, x and y for every pair x <= y of divisors (n, words) that can make ``wanted`` where it counts.

    ``met[v][i][j]`` counts the assignments with x = i, y = j at which v is wanted.
    """
    possible = np.triu(np.ones((len(divisors),) * 2, bool))
    codes = np.zeros(possible.shape, np.int64)
    met = []
    for select in (wanted & care, ~wanted & care):
        chosen = divisors & select
        both, single, total = _ones(chosen[:, None] & chosen[None]), _ones(chosen), _ones(select)
        x, y = single[:, None] - both, single[None] - both
        met.append(((total - both - x - y, y), (x, both)))
    for i in (0, 1):
        for j in (0, 1):
            possible &= (met[0][i][j] == 0) | (met[1][i][j] == 0)
            codes |= (met[0][i][j] > 0).astype(np.int64) << (3 - 2 * i - j)
    x, y = np.nonzero(possible)
    return codes[x, y], x, y


def _ones(words: np.ndarray) -> np.ndarray:
    """Count the ones along the last axis."""
    return np.asarray(np.bitwise_count(words).sum(axis=-1, dtype=np.int64))


def _only_for(logic: Logic, node: int) -> set[int]:
    """Return the gates, ``node`` among them, that would die with ``node``."""
    readers: dict[int, int] = dict.fromkeys(logic.outputs, 1)
    for gate in logic.gates:
        for source in reads(gate):
            readers[source] = readers.get(source, 0) + 1
    dying, stack = {node}, [node]
    while stack:
        for source in reads(logic.gates[stack.pop() - logic.inputs]):
            readers[source] -= 1
            if readers[source] == 0 and source >= logic.inputs:
                dying.add(source)
                stack.append(source)
    return dying
