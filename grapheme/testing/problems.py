"""Random circuits and grids, a function of a seed and a size."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from grapheme.arrays import Bits, Floats
from grapheme.backend.selection import get_backend
from grapheme.kernels.cell import BOUNDARIES, Boundary
from grapheme.kernels.gates import TRUE
from grapheme.kernels.netlist import Netlist
from grapheme.kernels.trial import Circuits, Trial

SHAPES = [(1, 1, 1, 1), (2, 3, 1, 7), (5, 1, 3, 3), (1, 2, 2, 2), (3, 2, 5, 37), (1, 1, 9, 65), (2, 1, 64, 1)]
"""From a single cell to widths that are no multiple of a block or of a word."""


@dataclass(frozen=True)
class GridProblem:
    """Arguments for the kernels of the groups ``cell`` and ``batch``."""

    netlist: Netlist
    coefficients: Floats
    codes: np.ndarray
    grids: Floats
    bits: Bits
    steps: int
    boundary: Boundary
    fire: Bits | None
    grad_states: Floats
    """Gradient of the last state, or of the last two."""
    target: Floats
    """What the last state is compared with, shaped as the grids."""
    counted: Floats
    """(channel,): 1 for the channels that count in a loss, 0 for the others."""


def random_netlist(rng: np.random.Generator, channels: int, gates: int, parameters: int) -> Netlist:
    """Return any circuit that the contract allows.

    Parameters may be shared, gates dead, outputs inputs or twice the same node.
    """
    inputs = 9 * channels
    reads = [rng.integers(0, inputs + gate, 2) for gate in range(gates)]
    a, b = np.array(reads, dtype=np.int64).reshape(-1, 2).T
    return Netlist.build(
        inputs, a, b, rng.integers(0, parameters, gates), rng.integers(0, inputs + gates, channels), parameters
    )


def grid_problem(
    seed: int,
    shape: tuple[int, int, int, int] = (2, 2, 5, 7),
    gates: int = 40,
    steps: int = 3,
    boundary: Boundary = "periodic",
    asynchronous: bool = False,
    dtype: str = "float64",
) -> GridProblem:
    """Return a problem on grids of ``shape`` (batch, channel, height, width)."""
    rng = np.random.default_rng(seed)
    batch, channels, height, width = shape
    parameters = max(1, gates // 2)
    grids = rng.random(shape).astype(dtype)
    return GridProblem(  # new fields are drawn last, so that a seed's problem stays what it was
        netlist=random_netlist(rng, channels, gates, parameters),
        coefficients=rng.uniform(-0.5, 0.5, (parameters, 4)).astype(dtype),
        codes=rng.integers(0, 16, parameters).astype(np.uint8),
        grids=grids,
        bits=rng.random(shape) < 0.5,
        steps=steps,
        boundary=boundary,
        fire=rng.random((steps, batch, height, width)) < 0.6 if asynchronous else None,
        grad_states=rng.standard_normal((int(rng.integers(1, min(2, steps) + 1)), *shape)).astype(dtype),
        target=rng.random(shape).astype(dtype),
        counted=(np.arange(channels) % 2 == 0).astype(dtype),
    )


def grid_problems() -> Iterator[tuple[str, GridProblem]]:
    """Yield a named problem for every shape, boundary and way of firing, the dtypes in turn."""
    variants = itertools.product(enumerate(SHAPES), enumerate(BOUNDARIES), (False, True))
    for seed, ((i, shape), (j, boundary), asynchronous) in enumerate(variants):
        dtype = ("float32", "float64")[(i + j + asynchronous) % 2]
        name = f"{'x'.join(map(str, shape))} {boundary} {'async' if asynchronous else 'sync'} {dtype}"
        yield name, grid_problem(seed, shape, boundary=boundary, asynchronous=asynchronous, dtype=dtype)


def trial_problem(problem: GridProblem, circuits: int = 5) -> tuple[Circuits, Trial, np.ndarray]:
    """Return circuits, a trial of them on the grids of a problem, and how many values each may get wrong.

    In about half of the problems cells go dark; some values do not count, and in about a third of the problems no
    channel but the first does. Every other circuit is stopped early, if it is wrong often enough.
    """
    p, rng = problem, np.random.default_rng(int(problem.bits.sum()) + problem.bits.size)
    batch, channels, height, width = p.bits.shape
    netlists = [random_netlist(rng, channels, 30, 30) for _ in range(circuits)]
    dark = rng.random((p.steps, batch, height, width)) < 0.2
    counted = rng.random(p.bits.shape) < 0.8
    counted[:, 1:] &= rng.integers(3) > 0
    trial = Trial(
        start=p.bits,
        boundary=p.boundary,
        steps=p.steps,
        fire=p.fire,
        dark=dark if rng.integers(2) else None,
        wanted=rng.random(p.bits.shape) < 0.5,
        counted=counted,
        first=int(rng.integers(1, p.steps + 1)),
    )
    return (
        Circuits(
            9 * channels,
            rng.integers(0, 16, (circuits, 30)).astype(np.uint8),
            np.stack([netlist.a for netlist in netlists]),
            np.stack([netlist.b for netlist in netlists]),
            np.stack([netlist.outputs for netlist in netlists]),
        ),
        trial,
        np.where(np.arange(circuits) % 2, p.bits.size // 2, 10**9).astype(np.int64),
    )


def stopped_problem() -> tuple[Circuits, Trial, np.ndarray]:
    """Return circuits that get every value wrong from the second step on, and limits around what they come to.

    A circuit that may get just as many wrong as it does goes on; with one fewer it is stopped after that step.
    """
    shape, steps = (2, 1, 3, 5), 5
    size = int(np.prod(shape))
    most = np.array([10**9, 0, size - 1, size, size + 1, 2 * size - 1, 2 * size, 4 * size - 1, 4 * size], np.int64)
    codes, reads = np.full((len(most), 1), TRUE, np.uint8), np.zeros((len(most), 1), np.int32)
    zeros = np.zeros(shape, np.bool_)
    trial = Trial(zeros, "zero", steps, None, None, zeros, np.ones_like(zeros), 2)
    return Circuits(9, codes, reads, reads, reads + 9), trial, most


def states_of(problem: GridProblem) -> Floats:
    """Return the states of a problem's roll-out, by the oracle."""
    p = problem
    states: Floats = get_backend("numpy").batch.rollout(p.netlist, p.coefficients, p.grids, p.steps, p.boundary, p.fire)
    return states
