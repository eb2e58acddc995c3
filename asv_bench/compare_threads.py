"""A checkerboard training step on one thread, on all threads, and in as many separate processes, in one run.

Processes that have nothing to do with each other show what the machine can give; threads cannot do better.

    python asv_bench/compare_threads.py [--threads 2] [--steps 100]
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import time

import numpy as np

import grapheme
from grapheme.experiments.checkerboard import CHECKERBOARD
from grapheme.parallel import cores

ROUND = 10
"""Steps of one kind before those of the next, so that a slow minute of the machine is shared by all."""


class Stepper:
    """Trains with the published recipe and notes the seconds of each step."""

    def __init__(self, threads: int) -> None:
        self.task = CHECKERBOARD.with_recipe("paper")
        self.trainer = self.task.trainer(0, 0, "float32", grapheme.get_backend("numba", threads))
        self.epoch = 0
        self.run()

    def run(self) -> list[float]:
        """Return the seconds of a round of steps."""
        seconds = []
        for _ in range(ROUND):
            batch = self.task.batch(0, 0, self.epoch)
            begun = time.perf_counter()
            self.trainer.train_on(batch)
            seconds.append(time.perf_counter() - begun)
            self.epoch += 1
        return seconds


def serve() -> None:
    """Run a round for each line that comes in."""
    stepper = Stepper(1)
    for _ in sys.stdin:
        print(*stepper.run(), flush=True)


def measure(threads: int, rounds: int) -> dict[str, list[float]]:
    """Return the seconds of steps on one thread, on several, and beside other processes."""
    command = [sys.executable, __file__, "--serve"]
    others = [
        subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) for _ in range(threads - 1)
    ]
    one, several = Stepper(1), Stepper(threads)
    seconds: dict[str, list[float]] = {"one thread": [], "threads": [], "processes": []}
    for _ in range(rounds):
        seconds["one thread"] += one.run()
        seconds["threads"] += several.run()
        for other in others:
            other.stdin.write("\n")
            other.stdin.flush()
        seconds["processes"] += one.run()
        for other in others:
            seconds["processes"] += [float(value) for value in other.stdout.readline().split()]
    for other in others:
        other.communicate()
    return seconds


def show(threads: int, rounds: int) -> None:
    """Print the milliseconds of a step and how many times as many steps there are in the same time."""
    seconds = measure(threads, rounds)
    for name, rank in (("best", 0), ("quarter", 25), ("median", 50)):
        one, several, processes = (np.percentile(times, rank) * 1e3 for times in seconds.values())
        print(
            f"{name}: one thread {one:.1f} ms; {threads} threads {several:.1f} ms, x{one / several:.2f}; "
            f"{threads} processes {processes:.1f} ms each, x{threads * one / processes:.2f}"
        )


def main() -> None:
    """Compare, or be one of the processes that are compared."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--threads", type=int, default=min(2, cores()))
    parser.add_argument("--steps", type=int, default=100)
    parser.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.serve:
        serve()
    else:
        show(options.threads, max(1, options.steps // ROUND))


if __name__ == "__main__":
    main()
