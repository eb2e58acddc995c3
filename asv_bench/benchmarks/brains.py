"""Training steps of a cortex, and its answers: brains and samples side by side."""

from __future__ import annotations

import dataclasses

from grapheme.cortex import CollaborativeCortexTrainer, Cortex
from grapheme.cortex.answer import answer
from grapheme.cortex.samples import mixed
from grapheme.datasets.drawing import Sizes
from grapheme.experiments.cortex import CONFIG

from .backends import THREADS, backend_or_skip

BATCH = 64


class Cortices:
    """Sixty-four samples of mathematics, code and text."""

    params = (["numpy", "numba"], THREADS)
    param_names = ("backend", "threads")
    timeout = 300

    def setup(self, backend, threads):
        self.backend = backend_or_skip(backend, threads)
        self.samples = mixed(0, Sizes(30, 1, 1)).train[:BATCH]
        cortex = Cortex.build(self.samples, dataclasses.replace(CONFIG, batch_size=BATCH))
        self.trainer = CollaborativeCortexTrainer(cortex, self.backend)
        self.texts = [sample.source for sample in self.samples]
        self.time_step(backend, threads)

    def time_step(self, backend, threads):
        self.trainer.train_batch(self.samples)

    def time_answers(self, backend, threads):
        answer(self.trainer.model, self.texts, self.backend)
