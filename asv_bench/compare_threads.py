"""Training steps on one thread and on several, beside plain arithmetic, in one run.

The arithmetic takes as long as a step of the checkerboard and passes over as much memory as the gates of a block take,
but has nothing to wait for and nothing to share: what more threads bring it is what the machine gives. Losses must be
the same to the last bit on any number of threads.

    python asv_bench/compare_threads.py                        all
    python asv_bench/compare_threads.py formulas arithmetic    some  [--threads 2] [--steps 100]
"""

from __future__ import annotations

import argparse
import dataclasses
import functools
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

import numpy as np
from numba import njit

import grapheme
from grapheme.backend.parallelism import cores
from grapheme.cortex import CollaborativeCortexTrainer, Cortex
from grapheme.cortex.samples import mixed
from grapheme.datasets import task
from grapheme.datasets.drawing import Sizes
from grapheme.experiments.checkerboard import CHECKERBOARD
from grapheme.experiments.cortex import CONFIG
from grapheme.models.model import AbstractTrainer
from grapheme.transform import GraphEditNet, NetShape
from grapheme.transform.lessons import Aligned, Lessons
from grapheme.transform.losses import LOSSES
from grapheme.transform.trainer import EditTrainer

ROUND = 10
"""Calls of one kind before those of the next, so that a slow minute of the machine is shared by all."""

GRAPHS = 64
"""Graphs of a batch."""

FLOATS = 150_000
"""The values of a block: a row of 32 cells for each of 4,680 nodes."""

SECONDS = 0.03
"""How long the arithmetic takes on one thread, about as long as a step."""


@njit(nogil=True)
def arithmetic(values: np.ndarray, passes: int) -> None:
    """Multiply and add, pass after pass."""
    for _ in range(passes):
        for i in range(values.size):
            values[i] = values[i] * np.float32(0.999) + np.float32(0.001)


def arithmetic_call(threads: int) -> Callable[[], object]:
    """Return a call that spreads the same arithmetic over threads, each with memory of its own."""
    memory = [np.ones(FLOATS, np.float32) for _ in range(threads)]
    arithmetic(memory[0], 1)
    begun = time.perf_counter()
    arithmetic(memory[0], 100)
    passes = int(SECONDS / (time.perf_counter() - begun) * 100)
    pool = ThreadPoolExecutor(threads)
    return lambda: list(pool.map(arithmetic, memory, [passes // threads] * threads))


def steps_of(trainer: AbstractTrainer, batches: Sequence[Any], losses: list[float]) -> Callable[[], object]:
    """Return a call that takes a training step on the next of some batches, and writes its loss down."""

    def step() -> None:
        losses.append(trainer.train_on(batches[len(losses) % ROUND]).soft_loss)

    return step


def automaton_call(threads: int, losses: list[float]) -> Callable[[], object]:
    """Return a step of the checkerboard with the published recipe."""
    board = CHECKERBOARD.with_recipe("paper")
    trainer = board.trainer(0, 0, "float32", grapheme.get_backend("numba", threads))
    return steps_of(trainer, [board.batch(0, 0, epoch) for epoch in range(ROUND)], losses)


def edits_call(name: str, shape: NetShape, threads: int, losses: list[float]) -> Callable[[], object]:
    """Return a step of a network that learns edits from batches of 64 graphs."""
    pairs = aligned(name)
    model = GraphEditNet.build(pairs.vocabulary, pairs.space, shape)
    trainer = EditTrainer(model, Lessons(pairs, LOSSES["edits"]), backend=grapheme.get_backend("numba", threads))
    return steps_of(trainer, np.arange(ROUND * GRAPHS).reshape(ROUND, GRAPHS), losses)


def cortex_call(threads: int, losses: list[float]) -> Callable[[], object]:
    """Return a step of a cortex on 64 samples of mathematics, code and text."""
    samples = mixed(0, Sizes(ROUND * GRAPHS // 3 + 1, 1, 1)).train
    config = dataclasses.replace(CONFIG, batch_size=GRAPHS)
    trainer = CollaborativeCortexTrainer(Cortex.build(samples, config), grapheme.get_backend("numba", threads))
    return steps_of(trainer, [samples[i * GRAPHS : (i + 1) * GRAPHS] for i in range(ROUND)], losses)


@functools.cache
def aligned(name: str) -> Aligned:
    """Return pairs of a task, enough for a round."""
    found = task(name).generate(0).train[: ROUND * GRAPHS]
    return Aligned.of([(pair.source, pair.target) for pair in found])


KINDS: dict[str, Callable[[int, list[float]], Callable[[], object]]] = {
    "checkerboard": automaton_call,
    "formulas": partial(edits_call, "boolean", NetShape(32, 8)),
    "programs": partial(edits_call, "code", NetShape(32, 6)),
    "cortex": cortex_call,
    "arithmetic": lambda threads, losses: arithmetic_call(threads),
}


def seconds(call: Callable[[], object]) -> list[float]:
    """Return how long each call of a round took."""
    times = []
    for _ in range(ROUND):
        begun = time.perf_counter()
        call()
        times.append(time.perf_counter() - begun)
    return times


def main() -> None:
    """Print milliseconds and what the threads bring: the best, the quarter and the median of all calls."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kinds", nargs="*", metavar="KIND", help=f"of {', '.join(KINDS)}; all, if none is given")
    parser.add_argument("--threads", type=int, default=min(2, cores()))
    parser.add_argument("--steps", type=int, default=100)
    options = parser.parse_args()
    kinds = options.kinds or list(KINDS)
    if unknown := sorted(set(kinds) - set(KINDS)):
        parser.error(f"there is no {' or '.join(unknown)}; there are {', '.join(KINDS)}")
    losses: dict[tuple[str, int], list[float]] = {(kind, n): [] for kind in kinds for n in (1, options.threads)}
    calls = {(kind, n): KINDS[kind](n, found) for (kind, n), found in losses.items()}
    times = {key: seconds(call)[:0] for key, call in calls.items()}  # a round to compile and to warm up
    for _ in range(max(1, options.steps // ROUND)):
        for key, call in calls.items():
            times[key] += seconds(call)
    for kind in kinds:
        assert losses[kind, 1] == losses[kind, options.threads], f"{kind}: threads changed a loss"
    for name, rank in (("best", 0), ("quarter", 25), ("median", 50)):
        for kind in kinds:
            one, several = (np.percentile(times[kind, threads], rank) * 1e3 for threads in (1, options.threads))
            print(
                f"{name:8} {kind:12} {one:6.1f} ms, {options.threads} threads {several:6.1f} ms, x{one / several:.2f}"
            )


if __name__ == "__main__":
    main()
