"""Trains a cortex, a batch at a time."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Sequence
from typing import final

import numpy as np

from grapheme.backend import Backend
from grapheme.backend.selection import get_backend, resolve
from grapheme.cortex.answer import answer
from grapheme.cortex.model import Cortex
from grapheme.cortex.objective import CortexLoss, loss_and_grad
from grapheme.cortex.preparation import Prepared, prepare
from grapheme.cortex.records import BatchLoss, CollaborativeResult, TrainingStats
from grapheme.cortex.samples import Sample, batches
from grapheme.errors import GraphemeError, InvalidInputError
from grapheme.models.model import AbstractTrainer, Metrics, Tensors
from grapheme.optim.adamw import AdamW
from grapheme.optim.schedules import second_half
from grapheme.rng import generator
from grapheme.timing import section

OPTIMISER = "optimiser."


@final
class CollaborativeCortexTrainer(AbstractTrainer):
    """Changes a cortex in place: Adam on the structural loss plus the collaboration loss.

    The order of samples in an epoch is a function of ``seed`` and of the epoch's number. ``prepared`` holds samples as
    they were read; it may be handed on to another trainer of the same brains and samples. In the second half of
    ``steps`` the learning rate falls; it stays, if None.
    """

    model: Cortex

    def __init__(
        self,
        cortex: Cortex,
        backend: Backend | str | None = None,
        seed: int = 0,
        prepared: dict[Sample, Prepared] | None = None,
        steps: int | None = None,
    ) -> None:
        self.model, self.seed, self.steps = cortex, seed, steps
        self.backend = get_backend(threads=cortex.config.threads) if backend is None else resolve(backend)
        self.optimiser = AdamW(cortex.config.learning_rate)
        self.stats = TrainingStats(activation_counts={brain.name: 0 for brain in cortex.brains})
        self.prepared: dict[Sample, Prepared] = {} if prepared is None else prepared
        cortex.place(self.backend)

    def train_batch(self, samples: Sequence[Sample]) -> BatchLoss:
        """Take one step on a batch; the losses are those before it."""
        return self._step(samples).loss

    def train_epoch(self, samples: Sequence[Sample]) -> BatchLoss:
        """Take a step on every batch of the samples, in a random order; the losses are means over the epoch."""
        return self._epoch(samples, len(self.stats.epoch_losses))[0]

    def train(self, samples: Sequence[Sample], epochs: int) -> TrainingStats:
        """Train for some epochs; in the second half of them the learning rate falls."""
        before = self.steps
        self.steps = self.optimiser.steps + epochs * math.ceil(len(samples) / self.model.config.batch_size)
        for _ in range(epochs):
            self.train_epoch(samples)
        self.steps = before
        return self.stats

    def process_batch(self, texts: Sequence[str]) -> list[CollaborativeResult]:
        """Return what the cortex makes of inputs, all at once."""
        return answer(self.model, texts, self.backend)

    def process_dataset(self, texts: Sequence[str]) -> Iterator[CollaborativeResult]:
        """Yield what the cortex makes of any number of inputs, a batch at a time."""
        size = self.model.config.batch_size
        for first in range(0, len(texts), size):
            yield from self.process_batch(texts[first : first + size])

    def activation_summary(self) -> dict[str, float]:
        """Return the share of all samples so far that each brain fired on."""
        seen = max(1, self.stats.samples_processed)
        return {name: count / seen for name, count in self.stats.activation_counts.items()}

    def train_on(self, batch: Sequence[Sample]) -> Metrics:
        """Take one step on a batch, as the training loop asks."""
        result = self._step(batch)
        loss, right = result.loss, int(result.right.sum())
        return Metrics(loss.total * loss.samples, float(loss.samples - right), loss.total, right / loss.samples)

    def state(self) -> Tensors:
        """Return cortex, optimiser and counts as arrays."""
        optimiser = {OPTIMISER + name: array for name, array in self.optimiser.state(self.backend).items()}
        counts = np.array([*self.stats.activation_counts.values()], np.int64)
        numbers = np.array([self.stats.samples_processed, self.stats.batches_processed], np.int64)
        kept = {"stats.activations": counts, "stats.processed": numbers}
        times = np.array([self.stats.avg_active_brains, self.stats.total_time_secs])
        return {
            **self.model.tensors(), **optimiser, **kept,
            "stats.epochs": np.array(self.stats.epoch_losses, np.float64), "stats.times": times,
        }  # fmt: skip

    def restore(self, state: Tensors) -> None:
        """Continue from what ``state`` returned."""
        plans, self.model = self.model.plans, Cortex.from_tensors(state)
        self.model.plans = plans
        self.model.place(self.backend)
        moments = {k.removeprefix(OPTIMISER): v for k, v in state.items() if k.startswith(OPTIMISER)}
        self.optimiser.restore(moments, self.backend)
        names = [brain.name for brain in self.model.brains]
        counts = dict(zip(names, state["stats.activations"].tolist(), strict=True))
        samples, batches_done = state["stats.processed"].tolist()
        active, seconds = state["stats.times"].tolist()
        self.stats = TrainingStats(samples, batches_done, state["stats.epochs"].tolist(), counts, active, seconds)

    def _epoch(self, samples: Sequence[Sample], epoch: int) -> tuple[BatchLoss, int]:
        return self._pass(samples, generator(self.seed, "data", 2, epoch).permutation(len(samples)).tolist())

    def _pass(self, samples: Sequence[Sample], order: Sequence[int]) -> tuple[BatchLoss, int]:
        if not samples:
            raise InvalidInputError("The dataset is empty; give samples to learn from.")
        begun, right = time.perf_counter(), 0
        losses = []
        for batch in batches(samples, self.model.config.batch_size, order):
            result = self._step(batch)
            losses.append(result.loss)
            right += int(result.right.sum())
        self.stats.total_time_secs += time.perf_counter() - begun
        mean = _mean(losses)
        self.stats.epoch_losses.append(mean.total)
        return mean, right

    def _step(self, samples: Sequence[Sample]) -> CortexLoss:
        if not samples:
            raise InvalidInputError("The batch is empty; give samples to learn from.")
        with section("reading"):
            read = [self._read(sample) for sample in samples]
        result = loss_and_grad(self.model, read, self.backend)
        if not np.isfinite(result.loss.total):
            raise GraphemeError(
                f"The loss became {result.loss.total}; try a learning rate below {self.optimiser.lr}, or float64."
            )
        with section("update"):
            self.optimiser.lr = second_half(self.model.config.learning_rate, self.optimiser.steps, self.steps)
            self.model.set_parameters(
                self.optimiser.update(self.model.on(self.backend), result.grads, self.backend), self.backend
            )
        self._count(result)
        return result

    def _read(self, sample: Sample) -> Prepared:
        """Return a sample as kernels see it; reading and aligning it again would give the same."""
        if sample not in self.prepared:
            self.prepared[sample] = prepare(self.model, sample)
        return self.prepared[sample]

    def _count(self, result: CortexLoss) -> None:
        stats = self.stats
        stats.samples_processed += result.loss.samples
        stats.batches_processed += 1
        for brain, count in zip(self.model.brains, result.active, strict=True):
            stats.activation_counts[brain.name] += count
        stats.avg_active_brains = sum(stats.activation_counts.values()) / stats.samples_processed


def _mean(losses: Sequence[BatchLoss]) -> BatchLoss:
    """Return the means over all samples of several batches."""
    samples = sum(loss.samples for loss in losses)
    total, structural, collaboration = (
        sum(getattr(loss, name) * loss.samples for loss in losses) / samples
        for name in ("total", "structural", "collaboration")
    )
    return BatchLoss(total, structural, collaboration, samples)
