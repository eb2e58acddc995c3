"""The compiled pass that runs many small circuits through a trial, each on one thread from its start to its end.

A circuit's nodes are rows of ``ROW`` words of 64 cells, few enough to stay in the first cache; what nothing counted
depends on is left out. Streams of bits and shifts of them are those of ``hard``.
"""

from __future__ import annotations

import functools
from typing import Any, NamedTuple

import numpy as np
from numba import njit, prange, types
from numba.extending import intrinsic

from grapheme.kernels.gates import FALSE, NOT_A, NOT_B, PASS_A, PASS_B, TRUE, WIRES
from grapheme.kernels.trial import Trial
from grapheme_numba import hard
from grapheme_numba.instructions import INT64, Vectors, arguments, write_gate
from grapheme_numba.registers import OUT, PARAM, A, B
from grapheme_numba.schedule import shared
from grapheme_numba.words import ones

ROW = 64
"""Words that are worked on at once: a circuit of 60 nodes fills 32 KB, most of a first cache."""


class Population(NamedTuple):
    """Circuits with as many gates and channels each."""

    codes: Any
    """(circuits, gates) operation codes"""
    a: Any
    """(circuits, gates)"""
    b: Any
    """(circuits, gates)"""
    outputs: Any
    """(circuits, channels)"""


class Circuit(NamedTuple):
    """One of them."""

    codes: Any
    a: Any
    b: Any
    outputs: Any


class Packed(NamedTuple):
    """A trial as streams of words, whole rows of them; those that something is shifted out of have guards."""

    start: np.ndarray
    """(channel, words), with guards"""
    fire: np.ndarray
    """(steps, words), or (1, words) for all steps alike"""
    dark: np.ndarray
    """(steps, words), or (1, words) for all steps alike"""
    wanted: np.ndarray
    """(channel, words)"""
    counted: np.ndarray
    """(channel, words)"""
    which: np.ndarray
    """(shifts,), as the next three of ``hard.Shifts``; numba takes no record within a record into a parallel loop"""
    bits: np.ndarray
    """(shifts,)"""
    masks: np.ndarray
    """(shifts, words), whole rows"""
    guard: int
    steps: int
    first: int
    """The first step, counted from 1, after which values are compared."""


class Plan(NamedTuple):
    """What has to be computed of a circuit, and where."""

    reads: Any
    """(n,): the inputs, neighbour * channels + channel, that fill the first n rows."""
    gates: Any
    """(m, 4): columns A, B and OUT, which are rows, and an operation code; they fill the next m rows."""
    row: Any
    """(nodes,): the row of each node that is needed; wires share that of what they pass on."""
    kept: Any
    """(channels,): which channels something counted ever depends on."""


@functools.lru_cache(maxsize=16)
def packed(trial: Trial) -> Packed:
    """Return the words of a trial, kept for those used last."""
    batch, channels, height, width = trial.start.shape
    cells, moves = batch * height * width, hard.shifts(batch, height, width, trial.boundary)

    def values(grids: np.ndarray, guard: int = 0) -> np.ndarray:
        return _rows(grids.swapaxes(0, 1).reshape(channels, cells), guard)

    def steps(masks: np.ndarray | None, absent: bool) -> np.ndarray:
        return _rows(np.full((1, cells), absent) if masks is None else masks.reshape(trial.steps, cells))

    return Packed(
        start=values(trial.start, moves.guard),
        fire=steps(trial.fire, True),
        dark=steps(trial.dark, False),
        wanted=values(trial.wanted),
        counted=values(trial.counted),
        which=moves.which,
        bits=moves.bits,
        masks=_whole(moves.masks),
        guard=moves.guard,
        steps=trial.steps,
        first=trial.first,
    )


def _rows(bits: np.ndarray, guard: int = 0) -> np.ndarray:
    """Return bits (n, cells) as whole rows of words, with guards."""
    return _whole(hard.pack(bits, 0), guard)


def _whole(words: np.ndarray, guard: int = 0) -> np.ndarray:
    """Return words (n, words) with zeros up to the end of a row, and guards on either side."""
    return np.pad(words, ((0, 0), (guard, guard + -words.shape[1] % ROW)))


@intrinsic
def _gate(typing: Any, values: Any, a: Any, b: Any, out: Any, polynomials: Any, code: Any) -> Any:
    """values[out] = k0 ^ k1&values[a] ^ k2&values[b] ^ k3&values[a]&values[b], on a row of words."""
    row = types.int64
    signature = types.void(values, row, row, row, polynomials, row)

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        write_gate(ROW, builder, arguments(context, builder, signature, args))
        return context.get_dummy_value()

    return signature, generate


@intrinsic
def _read(
    typing: Any, values: Any, row: Any, keep: Any, streams: Any, at: Any, turn: Any, masks: Any, mask: Any
) -> Any:
    """Fill a row with a stream's words from ``at`` on, ``turn`` bits further, where those of ``masks`` let them.

    What of the row's own words ``keep`` lets stay is added.
    """
    signature = types.void(values, types.int64, types.uint64, streams, types.int64, types.uint64, masks, types.int64)

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        values, row, keep, streams, at, turn, masks, mask = arguments(context, builder, signature, args)
        v = Vectors.of(builder, values)
        turned = builder.icmp_unsigned("!=", turn, INT64(0))
        upper = v.every(builder.select(turned, INT64(-1), INT64(0)))  # a word cannot be shifted by all its bits
        back = v.every(builder.and_(builder.sub(INT64(64), turn), INT64(63)))
        keep, turn = v.every(keep), v.every(turn)
        for lane in range(0, ROW, v.length):
            here = builder.add(at, INT64(lane))
            low, high = v.load(streams, here), v.load(streams, builder.add(here, INT64(1)))
            word = v.funnel(low, builder.and_(high, upper), turn, back)
            kept = builder.and_(v.load(values, v.place(row, ROW, lane)), keep)
            let = v.load(masks, builder.add(mask, INT64(lane)))
            v.store(builder.or_(builder.and_(word, let), kept), values, v.place(row, ROW, lane))
        return context.get_dummy_value()

    return signature, generate


@intrinsic
def _write(
    typing: Any, new: Any, now: Any, at: Any, values: Any, row: Any, fire: Any, f: Any, dark: Any, d: Any
) -> Any:
    """Write words of the next step from ``at`` on: those of a row where cells fire, and 0 where they go dark."""
    place = types.int64
    signature = types.void(new, now, place, values, place, fire, place, dark, place)

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        new, now, at, values, row, fire, f, dark, d = arguments(context, builder, signature, args)
        v = Vectors.of(builder, new)
        for lane in range(0, ROW, v.length):
            here, fired, gone = (builder.add(first, INT64(lane)) for first in (at, f, d))
            word = v.blend(v.load(now, here), v.load(values, v.place(row, ROW, lane)), v.load(fire, fired))
            v.store(builder.and_(word, v.invert(v.load(dark, gone))), new, here)
        return context.get_dummy_value()

    return signature, generate


@njit(cache=True)
def _needed(circuit: Circuit, channels: Any) -> Any:
    """Return the nodes that some of the ``channels`` (channels,) ever depend on, and mark the channels that these are.

    Channels are added until those that a needed node reads are all among them.
    """
    codes, outputs = circuit.codes, circuit.outputs
    inputs, gates = 9 * len(outputs), len(codes)
    needed = np.zeros(inputs + gates, np.bool_)
    known = -1
    while known < channels.sum():
        known = channels.sum()
        for channel in range(len(outputs)):
            needed[outputs[channel]] |= channels[channel]
        for g in range(gates - 1, -1, -1):
            code = codes[g]
            if needed[inputs + g] and code not in (FALSE, TRUE):
                needed[circuit.a[g]] |= code not in (PASS_B, NOT_B)
                needed[circuit.b[g]] |= code not in (PASS_A, NOT_A)
        for node in range(inputs):
            channels[node % len(outputs)] |= needed[node]
    return needed


@njit(cache=True)
def _plan(circuit: Circuit, seen: Any) -> Plan:
    """Give each node that a ``seen (channels,)`` channel ever depends on a row."""
    kept = seen.copy()
    needed = _needed(circuit, kept)
    nodes, inputs = len(needed), 9 * len(circuit.outputs)
    row, sources, wires = np.zeros(nodes, np.int64), np.empty(nodes, np.int64), np.empty((nodes, 4), np.int64)
    reads, gates = 0, 0
    for node in range(inputs):
        if needed[node]:
            row[node], sources[reads] = reads, node
            reads += 1
    for g in range(len(circuit.codes)):
        if needed[inputs + g]:
            code, a, b = circuit.codes[g], circuit.a[g], circuit.b[g]
            if code in WIRES:
                row[inputs + g] = row[a if code == PASS_A else b]
                continue
            row[inputs + g] = reads + gates
            wires[gates, A], wires[gates, B] = row[a], row[b]
            wires[gates, OUT], wires[gates, PARAM] = reads + gates, code
            gates += 1
    return Plan(sources[:reads], wires[:gates], row, kept)


@njit(cache=True)
def _load(values: Any, plan: Plan, now: Any, trial: Packed, shift: Any, begin: int) -> None:
    """Fill the first rows with the neighbours of the cells of words ``begin`` to ``begin + ROW - 1``.

    ``shift (10,)`` says where the shifts of each neighbour begin.
    """
    channels, length, words = now.shape[0], now.shape[1], trial.masks.shape[1]
    for i in range(len(plan.reads)):
        neighbour, channel = plan.reads[i] // channels, plan.reads[i] % channels
        keep = np.uint64(0)  # the first shift of a neighbour overwrites what the row held
        for s in range(shift[neighbour], shift[neighbour + 1]):
            at = channel * length + trial.guard + begin + (trial.bits[s] >> 6)
            _read(values, i, keep, now, at, np.uint64(trial.bits[s] & 63), trial.masks, s * words + begin)
            keep = ~np.uint64(0)


@njit(cache=True)
def _wrong(now: Any, trial: Packed, seen: Any) -> int:
    """Return how many of the counted values are not those wanted."""
    wrong = 0
    for channel in range(now.shape[0]):
        if seen[channel]:
            for w in range(trial.counted.shape[1]):
                differs = now[channel, trial.guard + w] ^ trial.wanted[channel, w]
                wrong += ones(differs & trial.counted[channel, w])
    return wrong


@njit(cache=True)
def _errors(circuit: Circuit, trial: Packed, polynomials: Any, most: int) -> int:
    """Return how many values one circuit gets wrong, counted up to the step in which these are more than ``most``."""
    channels = len(circuit.outputs)
    seen = np.zeros(channels, np.bool_)
    for channel in range(channels):
        seen[channel] = trial.counted[channel].any()
    plan = _plan(circuit, seen)
    values = np.zeros((len(plan.reads) + len(plan.gates) + 1, ROW), np.uint64)
    shift = np.searchsorted(trial.which, np.arange(10))
    now, new, wrong = trial.start.copy(), trial.start.copy(), 0
    length, words = now.shape[1], trial.masks.shape[1]
    for t in range(trial.steps):
        fired, gone = min(t, len(trial.fire) - 1) * words, min(t, len(trial.dark) - 1) * words
        for begin in range(0, words, ROW):
            _load(values, plan, now, trial, shift, begin)
            for g in range(len(plan.gates)):
                gate = plan.gates[g]
                _gate(values, gate[A], gate[B], gate[OUT], polynomials, gate[PARAM])
            for channel in range(channels):
                if plan.kept[channel]:
                    at, row = channel * length + trial.guard + begin, plan.row[circuit.outputs[channel]]
                    _write(new, now, at, values, row, trial.fire, fired + begin, trial.dark, gone + begin)
        now, new = new, now
        if t + 1 >= trial.first:
            wrong += _wrong(now, trial, seen)
        if wrong > most:
            break
    return wrong


@shared
def errors(population: Population, trial: Packed, polynomials: Any, most: Any, wrong: Any, pieces: int) -> None:
    """Write how many values each circuit gets wrong to ``wrong (circuits,)``."""
    for piece in prange(pieces):
        for i in range(piece, len(wrong), pieces):
            circuit = Circuit(population.codes[i], population.a[i], population.b[i], population.outputs[i])
            wrong[i] = _errors(circuit, trial, polynomials, most[i])
