"""A trial of many circuits: all that are still in it take a step together, their gates read from truth tables."""

from __future__ import annotations

import numpy as np

from grapheme.arrays import Bits
from grapheme.kernels.gates import value
from grapheme.kernels.trial import Circuits, Trial
from grapheme_numpy.cell import neighbourhoods

TRUTH = np.array([[[value(code, a, b) for b in (False, True)] for a in (False, True)] for code in range(16)])
"""(16, 2, 2): what each operation makes of two bits."""

WORKSPACE = 2**24
"""Bytes for the nodes of circuits that run together: more is slower, and some trials would need gigabytes."""


def hard_errors(circuits: Circuits, trial: Trial, most: np.ndarray) -> np.ndarray:
    """Return how many values each circuit gets wrong in a trial."""
    nodes, cells = circuits.inputs + circuits.codes.shape[1], trial.start[:, 0].size
    together = max(1, WORKSPACE // (nodes * cells))
    wrong = np.zeros(len(circuits), np.int64)
    for first in range(0, len(circuits), together):
        some = np.arange(first, min(first + together, len(circuits)))
        wrong[some] = _errors(circuits.take(some), trial, most[some])
    return wrong


def _errors(circuits: Circuits, trial: Trial, most: np.ndarray) -> np.ndarray:
    """Run circuits through a trial together; each leaves it when it has more errors than it may."""
    wrong, running = np.zeros(len(circuits), np.int64), np.arange(len(circuits))
    needed = _needed(circuits)
    bits = np.repeat(trial.start[None], len(circuits), axis=0)
    for t in range(trial.steps):
        if not len(running):
            break
        new = _step(circuits.take(running), needed[:, running], trial, bits)
        bits = new if trial.fire is None else np.where(trial.fire[t][:, None], new, bits)
        if trial.dark is not None:
            bits = bits & ~trial.dark[t][:, None]
        if t + 1 >= trial.first:
            wrong[running] += np.count_nonzero((bits != trial.wanted) & trial.counted, axis=(1, 2, 3, 4))
        within = wrong[running] <= most[running]
        running, bits = running[within], bits[within]
    return wrong


def _needed(circuits: Circuits) -> Bits:
    """Return which nodes (nodes, circuits) an output of a circuit depends on; evolution leaves many gates unread."""
    needed = np.zeros((circuits.inputs + circuits.codes.shape[1], len(circuits)), np.bool_)
    needed[circuits.outputs.T, np.arange(len(circuits))] = True
    for gate in reversed(range(circuits.codes.shape[1])):
        who = np.flatnonzero(needed[circuits.inputs + gate])
        for reads in (circuits.a, circuits.b):
            needed[reads[who, gate], who] = True
    return needed


def _step(circuits: Circuits, needed: Bits, trial: Trial, bits: Bits) -> Bits:
    """Return bits (circuits, batch, channel, height, width) after a step in which all cells fire."""
    count, (batch, channels, height, width) = len(circuits), trial.start.shape
    inputs = neighbourhoods(bits.reshape(count * batch, channels, height, width), trial.boundary)
    nodes = np.empty((len(needed), count, batch * height * width), np.bool_)
    nodes[: circuits.inputs] = inputs.reshape(circuits.inputs, count, -1)
    for gate, codes in enumerate(circuits.codes.T):
        who = np.flatnonzero(needed[circuits.inputs + gate])
        a, b = nodes[circuits.a[who, gate], who], nodes[circuits.b[who, gate], who]
        nodes[circuits.inputs + gate, who] = _gate(codes[who], a, b)
    new = nodes[circuits.outputs.T, np.arange(count)].reshape(channels, count, batch, height, width)
    return new.transpose(1, 2, 0, 3, 4)


def _gate(codes: np.ndarray, a: Bits, b: Bits) -> Bits:
    """Return what operations (circuits,) make of bits (circuits, cells): b chooses a column, a one of two rows."""
    table = TRUTH[codes][..., None]
    low = table[:, 0, 0] ^ (b & (table[:, 0, 0] ^ table[:, 0, 1]))
    high = table[:, 1, 0] ^ (b & (table[:, 1, 0] ^ table[:, 1, 1]))
    result: Bits = low ^ (a & (low ^ high))
    return result
