"""What an exchange with Ray's workers costs: latency, bytes, and the share of a training step; needs grapheme-ray.

Overhead is what remains of an exchange when the slowest worker's own time is taken off, so other work on the machine
counts as work, not as overhead. Figures are medians. Workers run on one thread each.

    python asv_bench/measure_ray.py [--workers 2] [--samples 2] [--repeats 50] [--merge exact]
"""

from __future__ import annotations

import argparse
import pickle
import statistics
import time

import grapheme_ray
import numpy as np
from grapheme_ray import tasks
from grapheme_ray.team import Call, Team, team

import grapheme
from grapheme.experiments.checkerboard import CHECKERBOARD
from grapheme.gates import operation_codes
from grapheme.parametrisation import MIXTURE

WARM = 5
"""Exchanges that do not count."""
IDLE = (1, 2, 4, 8, 16)
"""Workers without work, for how an exchange grows with their number."""


def exchange(of: Team, call, repeats: int) -> tuple[float, float]:
    """Return the milliseconds of an exchange and of its overhead, both medians; the first calls do not count."""
    whole, overhead = [], []
    for _ in range(repeats + WARM):
        begun = time.perf_counter()
        call()
        seconds = time.perf_counter() - begun
        whole.append(1e3 * seconds)
        overhead.append(1e3 * (seconds - of.work))
    return statistics.median(whole[WARM:]), statistics.median(overhead[WARM:])


def size(*things) -> int:
    """Return the bytes of what is sent."""
    return sum(len(pickle.dumps(thing, protocol=5)) for thing in things)


def latencies(repeats: int) -> None:
    """Print what an empty exchange costs, by number of workers: of time, and of this process's own processor time."""
    print("workers without work: milliseconds of an exchange, and of processor time of the driver")
    rows = []
    for count in IDLE:
        idle = team(grapheme_ray.Settings(inner="numpy", workers=count), threads=1)
        calls = [Call(tasks.greet, None, ())] * count
        idle.exchange(calls)
        begun = time.process_time()
        whole, _ = exchange(idle, lambda idle=idle, calls=calls: idle.exchange(calls), repeats)
        own = 1e3 * (time.process_time() - begun) / (repeats + WARM)
        rows.append((count, own))
        print(f"  {count:4d} {whole:8.2f} {own:8.2f}")
    slope, start = np.polyfit(*zip(*rows, strict=True), 1)
    print(f"  the driver's own time is about {start:.2f} ms and {slope:.2f} ms a worker")


def training(settings: grapheme_ray.Settings, samples: int, repeats: int) -> None:
    """Print the exchanges of a training step of the checkerboard, so many samples a worker."""
    workers, backend = team(settings, settings.workers), grapheme_ray.backend(settings, settings.workers)
    model = CHECKERBOARD.trainer(0, 0, "float32", grapheme.get_backend("numba", threads=1)).model
    gates, _ = MIXTURE.linearise(model.to_host(), np)
    rng = np.random.default_rng(0)
    x, y = rng.integers(0, 2, (2, samples * settings.workers, 8, 16, 16)).astype(np.float32)
    counted = np.array([1] + [0] * 7, np.float32)
    codes, bits = operation_codes(model.to_host(), np), x > 0.5
    soft = (model.netlist, gates, x, y, counted, CHECKERBOARD.steps, "zero", None)
    hard = (model.netlist, codes, bits, CHECKERBOARD.steps, "zero", None)
    loss, evaluate = backend.kernel("batch.loss_and_grad"), backend.kernel("batch.hard_rollout")
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
    step, overhead = first[0] + second[0], first[1] + second[1]
    share = settings.workers
    print(f"checkerboard, {settings.workers} workers, {samples} samples each, merge {settings.merge}:")
    print(f"  hard roll-out    {first[0]:8.2f} ms, of which overhead {first[1]:6.2f} ms")
    print(f"  loss, gradient   {second[0]:8.2f} ms, of which overhead {second[1]:6.2f} ms")
    print(f"  both             {step:8.2f} ms, of which overhead {overhead:6.2f} ms: {overhead / step:.1%}")
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
    settings = grapheme_ray.Settings("numba", options.workers, None, 1, options.merge)
    training(settings, options.samples, options.repeats)
    latencies(options.repeats)


if __name__ == "__main__":
    main()
