"""Training steps and hard steps of the automata."""

from __future__ import annotations

import numpy as np
from grapheme.experiments.registry import experiment

from grapheme.ca import DiffLogicCA, Trainer

from .backends import BACKENDS, THREADS, backend_or_skip

EXPERIMENTS = ["life", "checkerboard", "checkerboard-async"]


class TrainingStep:
    """One epoch of an experiment: hard evaluation, loss, gradient and optimiser."""

    params = (BACKENDS, THREADS, EXPERIMENTS)
    param_names = ("backend", "threads", "experiment")
    timeout = 300

    def setup(self, backend, threads, name):
        chosen = backend_or_skip(backend, threads)
        if backend == "numpy" and name != "life":
            raise NotImplementedError  # the oracle takes half a minute and is not meant to be fast
        task = experiment(name)
        self.trainer = task.trainer(0, 0, "float32", chosen)
        self.batch = task.batch(0, 0, 0)
        self.trainer.train_on(self.batch)

    def time_step(self, backend, threads, name):
        self.trainer.train_on(self.batch)


class PeakMemory:
    """Memory of a process that trains the checkerboard for a few epochs."""

    params = (["numba"], THREADS)
    param_names = ("backend", "threads")
    timeout = 300

    def setup(self, backend, threads):
        chosen = backend_or_skip(backend, threads)
        task = experiment("checkerboard")
        self.trainer = task.trainer(0, 0, "float32", chosen)
        self.batch = task.batch(0, 0, 0)

    def peakmem_checkerboard(self, backend, threads):
        for _ in range(3):
            self.trainer.train_on(self.batch)


class Growth:
    """Cost of a training step against cells, steps and batch: doubling one of them should double it."""

    params = (
        ["numba"],
        [1],
        [(1, 16, 10), (2, 16, 10), (4, 16, 10), (1, 32, 10), (1, 64, 10), (1, 16, 20), (1, 16, 40)],
    )
    param_names = ("backend", "threads", "batch, side, steps")
    timeout = 300

    def setup(self, backend, threads, size):
        batch, side, self.steps = size
        model = DiffLogicCA.build(8, 16, [8, 4, 2], [256] * 10 + [128, 64, 32, 16, 8, 8], "zero", seed=0)
        self.trainer = Trainer(model, loss_channels=[0], backend=backend_or_skip(backend, threads))
        rng = np.random.default_rng(0)
        self.x, self.y = rng.integers(0, 2, (2, batch, 8, side, side))
        self.trainer.step(self.x, self.y, self.steps)

    def time_step(self, backend, threads, size):
        self.trainer.step(self.x, self.y, self.steps)


class HardRollout:
    """Ten hard steps of the checkerboard's circuit."""

    params = (BACKENDS, THREADS, [64, 512])
    param_names = ("backend", "threads", "side")
    timeout = 300

    def setup(self, backend, threads, side):
        self.backend = backend_or_skip(backend, threads)
        if backend == "numpy" and side > 64:
            raise NotImplementedError
        self.circuit = experiment("checkerboard").trainer(0, 0, "float32", self.backend).model.harden()
        self.bits = np.random.default_rng(0).random((1, 8, side, side)) < 0.5
        self.circuit.run(self.bits, 1, backend=self.backend)

    def time_ten_steps(self, backend, threads, side):
        self.circuit.run(self.bits, 10, backend=self.backend)
