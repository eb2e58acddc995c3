"""What an exchange with Ray's workers costs: latency, bytes, and the share of a training step; needs grapheme-ray.

Overhead is what remains of an exchange when the slowest worker's own time is taken off, so other work on the machine
counts as work, not as overhead. Figures are medians; those in brackets are the best tenth, which a busy machine spoils
less. Workers run on one thread each.

    python asv_bench/measure_ray.py [--workers 2] [--samples 2] [--repeats 50] [--merge exact]
"""

from __future__ import annotations

import argparse
import pickle
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass

import numpy as np
from grapheme_ray import tasks
from grapheme_ray.settings import Settings
from grapheme_ray.team import Team, call, team

import grapheme
from grapheme.backend.parallelism import thread_count
from grapheme.ca.parametrisation import MIXTURE
from grapheme.experiments.checkerboard import CHECKERBOARD
from grapheme.kernels.gates import operation_codes

WARM = 5
"""Exchanges that do not count."""
BYTES = (0, 50_000, 200_000, 800_000)
IDLE = (1, 2, 4, 8, 16)
"""Workers without work, for how an exchange grows with their number."""


@dataclass(frozen=True)
class Times:
    """Milliseconds of many exchanges, and what of each was overhead."""

    whole: np.ndarray
    overhead: np.ndarray

    def __add__(self, other: Times) -> Times:
        return Times(self.whole + other.whole, self.overhead + other.overhead)

    def __str__(self) -> str:
        (whole, overhead), (best, least) = (
            np.median([self.whole, self.overhead], 1),
            np.percentile([self.whole, self.overhead], 10, 1),
        )
        return (
            f"{whole:7.2f} ({best:.2f}) ms, of which overhead {overhead:6.2f} ({least:.2f}) ms: "
            f"{overhead / whole:.1%} ({least / best:.1%})"
        )


def exchange(of: Team, kernel: Callable[[], object], repeats: int) -> Times:
    """Return the times of so many exchanges; the first ones do not count."""
    rows = []
    for _ in range(repeats + WARM):
        begun = time.perf_counter()
        kernel()
        seconds = time.perf_counter() - begun
        rows.append((1e3 * seconds, 1e3 * (seconds - of.work)))
    return Times(*np.array(rows[WARM:]).T)


def size(*things) -> int:
    """Return the bytes of what is sent."""
    return sum(len(pickle.dumps(thing, protocol=5)) for thing in things)


def latencies(repeats: int) -> None:
    """Print what an empty exchange costs, by number of workers: of time, and of this process's own processor time."""
    print("workers without work: milliseconds of an exchange, and of processor time of the driver")
    rows = []
    for count in IDLE:
        idle = team(Settings("numpy", count, None, None, "exact"), threads=1)
        calls = [call(tasks.echo, None, None)] * count
        idle.exchange(calls)
        begun = time.process_time()
        times = exchange(idle, lambda idle=idle, calls=calls: idle.exchange(calls), repeats)
        own = 1e3 * (time.process_time() - begun) / (repeats + WARM)
        rows.append((count, own))
        print(f"  {count:4d} {np.median(times.whole):8.2f} {own:8.2f}")
    slope, start = np.polyfit(*zip(*rows, strict=True), 1)
    print(f"  the driver's own time is about {start:.2f} ms and {slope:.2f} ms a worker")


def mail(repeats: int) -> None:
    """Print what bytes cost that are sent to a worker and back by Ray's own mail, as between machines."""
    print("bytes to a worker and back: milliseconds of an exchange, and of processor time of the driver")
    one = Team(Settings("numpy", 1, None, None, "exact"), 1)
    one.__dict__["_folder"] = None  # as for a cluster: no files in memory
    rows = []
    for count in BYTES:
        calls = [call(tasks.echo, None, np.zeros(count, np.uint8))]
        one.exchange(calls)
        begun = time.process_time()
        times = exchange(one, lambda calls=calls: one.exchange(calls), repeats)
        rows.append((2 * count, 1e6 * (time.process_time() - begun) / (repeats + WARM) * 1e3))
        print(f"  {count:9,d} {np.median(times.whole):8.2f} {rows[-1][1] / 1e6:8.2f}")
    print(f"  about {np.polyfit(*zip(*rows, strict=True), 1)[0]:.1f} ns of the driver's time a byte")


def training(settings: Settings, samples: int, repeats: int) -> None:
    """Print the exchanges of a training step of the checkerboard, so many samples a worker."""
    backend = grapheme.get_backend("ray", options=asdict(settings))
    workers = team(settings, thread_count(None))  # the one that the backend has
    model = CHECKERBOARD.trainer(0, 0, "float32", grapheme.get_backend("numba", threads=1)).model
    gates, _ = MIXTURE.linearise(model.to_host(), np)
    rng = np.random.default_rng(0)
    x, y = rng.integers(0, 2, (2, samples * settings.workers, 8, 16, 16)).astype(np.float32)
    counted = np.array([1] + [0] * 7, np.float32)
    codes, bits = operation_codes(model.to_host(), np), x > 0.5
    soft = (model.netlist, gates, x, y, counted, CHECKERBOARD.steps, "zero", None)
    hard = (model.netlist, codes, bits, CHECKERBOARD.steps, "zero", None)
    loss, evaluate = backend.batch.loss_and_grad, backend.batch.hard_rollout
    first, second = (
        exchange(workers, lambda: evaluate(*hard), repeats),
        exchange(workers, lambda: loss(*soft), repeats),
    )
    final, losses, parts = loss(*soft)
    begun = time.perf_counter()
    total = np.zeros_like(gates)
    for part in parts:
        total = total + part
    merge = 1e3 * (time.perf_counter() - begun)
    share = settings.workers
    print(f"checkerboard, {settings.workers} workers, {samples} samples each, merge {settings.merge}:")
    print(f"  hard roll-out   {first}")
    print(f"  loss, gradient  {second}")
    print(f"  both            {first + second}")
    sent = size(gates, counted, codes) + size(x, y, bits) / share
    back = size(final, losses, parts, bits) / share
    print(f"  bytes to and from a worker: {sent:,.0f} and {back:,.0f}")
    print(f"  adding up {len(parts)} partial sums: {merge:.3f} ms, {merge / share:.3f} ms a worker")


def main() -> None:
    """Print all of it."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--samples", type=int, default=2)
    parser.add_argument("--repeats", type=int, default=50)
    parser.add_argument("--merge", choices=("exact", "shards"), default="exact")
    options = parser.parse_args()
    settings = Settings("numba", options.workers, None, 1, options.merge)
    training(settings, options.samples, options.repeats)
    latencies(options.repeats)
    mail(options.repeats)


if __name__ == "__main__":
    main()
