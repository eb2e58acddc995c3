"""Speed of training networks that edit graphs: batches of 64 small graphs."""

from __future__ import annotations

import numpy as np

from grapheme.datasets import task
from grapheme.transform import GraphEditNet, NetShape
from grapheme.transform.lessons import Aligned, Lessons
from grapheme.transform.losses import LOSSES
from grapheme.transform.objective import loss_and_grad
from grapheme.transform.trainer import EditTrainer

from .backends import THREADS, backend_or_skip

BATCH = 64


class Step:
    """A step on 64 formulas of about nine nodes, with eight layers of 32."""

    params = (["numpy", "numba"], THREADS, ["edits", "structural"])
    param_names = ("backend", "threads", "loss")
    timeout = 600

    def setup(self, backend: str, threads: int, loss: str) -> None:
        self.backend = backend_or_skip(backend, threads)
        pairs = [(pair.source, pair.target) for pair in task("boolean").generate(0).train[:BATCH]]
        aligned = Aligned.of(pairs, radius=3)
        self.lessons = Lessons(aligned, LOSSES[loss])
        model = GraphEditNet.build(aligned.vocabulary, aligned.space, NetShape(32, 8))
        self.trainer = EditTrainer(model, self.lessons, backend=self.backend)
        self.trainer.train_on(np.arange(BATCH))

    def time_loss_and_gradient(self, backend: str, threads: int, loss: str) -> None:
        loss_and_grad(self.trainer.model, self.lessons.batch(np.arange(BATCH)), self.backend, self.lessons.loss)

    def time_step(self, backend: str, threads: int, loss: str) -> None:
        self.trainer.train_on(np.arange(BATCH))
