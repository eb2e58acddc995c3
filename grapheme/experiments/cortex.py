"""The experiment with a cortex: mathematics, code and text in one set of samples, or samples of the user's own."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import final

from grapheme.backend import Backend
from grapheme.cortex.answer import answer, is_right
from grapheme.cortex.config import CollaborativeCortexConfig
from grapheme.cortex.model import Cortex
from grapheme.cortex.samples import Sample, SampleSets, mixed
from grapheme.cortex.trainer import CollaborativeCortexTrainer
from grapheme.datasets.drawing import Sizes
from grapheme.rng import generator
from grapheme.training.experiment import AbstractExperiment

SIZES = Sizes(train=800, validation=60, test=150)
"""How many samples there are of each domain."""

CONFIG = CollaborativeCortexConfig(learning_rate=0.002, embed_dim=32, hidden_dim=64)


@final
@dataclass(frozen=True, kw_only=True)
class CortexExperiment(AbstractExperiment):
    """A cortex and its samples; the seed decides parameters and the order of samples, not the samples."""

    name: str
    summary: str
    samples: Callable[[], SampleSets]
    config: CollaborativeCortexConfig = CONFIG
    epochs: int = 40
    restarts: int = 0
    mistakes: str = "wrong answers"
    attached: Mapping[str, bytes] = field(default_factory=dict)

    def with_epochs(self, epochs: int) -> CortexExperiment:
        """Return the same task, whose learning rate falls towards the end of so many epochs."""
        return dataclasses.replace(self, epochs=epochs)

    def hints(self, folder: str) -> dict[str, str]:
        """Return how to ask the cortex."""
        return {"Ask it": f"grapheme cortex {folder} INPUT"}

    def trainer(self, seed: int, attempt: int, dtype: str, backend: Backend) -> CollaborativeCortexTrainer:
        """Return a trainer with a fresh cortex."""
        rng = generator(seed, "wiring", attempt)
        samples = self.samples().train
        cortex = Cortex.build(samples, self.config, dtype=dtype, rng=rng)
        steps = self.epochs * math.ceil(len(samples) / self.config.batch_size)
        return CollaborativeCortexTrainer(cortex, backend, seed, steps=steps)

    def batch(self, seed: int, attempt: int, epoch: int) -> Sequence[Sample]:
        """Return all samples in the order of an epoch."""
        samples = self.samples().train
        return [samples[i] for i in generator(seed, "data", attempt, epoch).permutation(len(samples))]

    def errors(self, model: Cortex, backend: Backend) -> int:
        """Return how many samples of the validation set the cortex gets wrong."""
        held_out = self.samples().validation
        results = answer(model, [sample.source for sample in held_out], backend)
        domains = {brain.name: brain.domain for brain in model.brains}
        return sum(
            not is_right(result, sample, domains[sample.domain])
            for result, sample in zip(results, held_out, strict=True)
        )


@cache
def _mixed() -> SampleSets:
    return mixed(0, SIZES)


CORTEX = CortexExperiment(name="cortex", summary="brains for mathematics, code and text, fused", samples=_mixed)
