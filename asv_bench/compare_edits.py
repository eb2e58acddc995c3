"""Accuracy of networks that edit graphs, task by task: three seeds, other orders of nodes, and what must fail.

    python asv_bench/compare_edits.py                  all tasks
    python asv_bench/compare_edits.py boolean peano    some
    python asv_bench/compare_edits.py boolean --seeds 1 --also shuffled frozen

Prints a table in Markdown: the share of graphs of the test set, none of them seen in training, that come out exactly
right. ``shuffled`` numbers the nodes of targets at random. What must fail gets a quarter of the epochs, and no second
look at alignments: ``no messages`` has no layers, ``mixed up`` gives sources the targets of others, ``frozen`` changes
no parameter.
"""

from __future__ import annotations

import argparse
import dataclasses
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np

import grapheme
from grapheme.experiments.edits import EditExperiment, edit_experiments, right
from grapheme.training.loop import train_task
from grapheme.training.run import Run, Settings

ABLATIONS = {
    "shuffled": {"shuffled": True},
    "no messages": {"shape": None},
    "mixed up": {"mixed_up": True},
    "frozen": {"frozen": True},
}


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("tasks", nargs="*")
    options.add_argument("--seeds", type=int, default=3)
    options.add_argument("--also", nargs="*", choices=ABLATIONS, default=list(ABLATIONS))
    options.add_argument("--backend", default="auto")
    options.add_argument("--threads", type=int)
    chosen = options.parse_args()
    known = {task.name: task for task in edit_experiments()}
    if unknown := sorted(set(chosen.tasks) - set(known)):
        options.error(f"there is no task {' or '.join(unknown)}; there are {', '.join(known)}")
    backend = grapheme.get_backend(chosen.backend, chosen.threads)
    columns = [*(f"seed {seed}" for seed in range(chosen.seeds)), "mean", "beyond", "seconds"]
    print("| task |", " | ".join([*columns, *chosen.also]), "|")
    print("|---" * (1 + len(columns) + len(chosen.also)) + "|", flush=True)
    for name in chosen.tasks or known:
        print(row(known[name], chosen.seeds, chosen.also, backend), flush=True)


def row(task: EditExperiment, seeds: int, also: Sequence[str], backend: grapheme.Backend) -> str:
    begun = time.perf_counter()
    results = [trained(task, seed, backend) for seed in range(seeds)]
    seconds = (time.perf_counter() - begun) / seeds
    mean = np.mean([result[0] for result in results])
    beyond = min((share for _, further in results for share in further), default=None)
    cells = [*(f"{result[0]:.3f}" for result in results), f"{mean:.3f}"]
    cells += ["" if beyond is None else f"{beyond:.3f}", f"{seconds:.0f}"]
    cells += [f"{trained(ablated(task, which), 0, backend, which)[0]:.3f}" for which in also]
    return f"| {task.name} | {' | '.join(cells)} |"


def ablated(task: EditExperiment, which: str) -> EditExperiment:
    if which == "shuffled":
        return dataclasses.replace(task, shuffled=True)
    short = dataclasses.replace(task, epochs=task.epochs // 4, realign_every=None)
    if which == "no messages":
        return dataclasses.replace(short, shape=dataclasses.replace(task.shape, layers=0))
    return dataclasses.replace(short, **ABLATIONS[which])


def trained(task: EditExperiment, seed: int, backend: grapheme.Backend, what: str = "") -> tuple[float, list[float]]:
    """Return the share of the test set that is right, and of all further sets; tell how it went meanwhile."""
    with tempfile.TemporaryDirectory() as folder:
        run = Run.create(Path(folder) / "run", Settings(task.name, seed, "float32", task.epochs, 0, task.epochs))
        outcome = train_task(run, task, backend, lambda row, progress: None)
        model, _ = run.best()
    test = float(right(model, task.sets.test, backend).mean())
    told = f"{task.name} {what or f'seed {seed}'}: {test:.3f}, {outcome.steps_run} epochs, {outcome.seconds:.0f} s"
    print(told, file=sys.stderr, flush=True)
    return test, [float(right(model, pairs(), backend).mean()) for pairs in task.beyond.values()]


if __name__ == "__main__":
    main()
