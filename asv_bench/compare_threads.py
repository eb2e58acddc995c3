"""A checkerboard training step on one thread and on several, beside plain arithmetic, in one run.

The arithmetic takes as long as a step and passes over as much memory as the gates of a block take, but has nothing to
wait for and nothing to share: what more threads bring it is what the machine gives.

    python asv_bench/compare_threads.py [--threads 2] [--steps 100]
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from numba import njit

import grapheme
from grapheme.experiments.checkerboard import CHECKERBOARD
from grapheme.parallel import cores

ROUND = 10
"""Calls of one kind before those of the next, so that a slow minute of the machine is shared by all."""

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


def step_call(threads: int) -> Callable[[], object]:
    """Return a call that takes a training step with the published recipe."""
    task = CHECKERBOARD.with_recipe("paper")
    trainer = task.trainer(0, 0, "float32", grapheme.get_backend("numba", threads))
    batches = [task.batch(0, 0, epoch) for epoch in range(ROUND)]
    count = 0

    def step() -> None:
        nonlocal count
        trainer.train_on(batches[count % ROUND])
        count += 1

    return step


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
    parser.add_argument("--threads", type=int, default=min(2, cores()))
    parser.add_argument("--steps", type=int, default=100)
    options = parser.parse_args()
    kinds = {"step": step_call, "arithmetic": arithmetic_call}
    calls = {(kind, threads): make(threads) for kind, make in kinds.items() for threads in (1, options.threads)}
    times = {key: seconds(call)[:0] for key, call in calls.items()}  # a round to compile and to warm up
    for _ in range(max(1, options.steps // ROUND)):
        for key, call in calls.items():
            times[key] += seconds(call)
    for name, rank in (("best", 0), ("quarter", 25), ("median", 50)):
        for kind in kinds:
            one, several = (np.percentile(times[kind, threads], rank) * 1e3 for threads in (1, options.threads))
            print(
                f"{name:8} {kind:11} {one:6.1f} ms, {options.threads} threads {several:6.1f} ms, x{one / several:.2f}"
            )


if __name__ == "__main__":
    main()
