"""The experiment with a cortex: mathematics, code and text in one set of samples, or samples of the user's own."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, lru_cache
from pathlib import Path
from typing import final

from grapheme.backend import Backend
from grapheme.cortex.answer import answer, is_right
from grapheme.cortex.config import CollaborativeCortexConfig
from grapheme.cortex.model import Cortex
from grapheme.cortex.samples import Sample, SampleSets, mixed, read_samples, split
from grapheme.cortex.trainer import CollaborativeCortexTrainer
from grapheme.datasets.drawing import Sizes
from grapheme.datasets.files import KEPT, kept_or_given
from grapheme.models.model import Score
from grapheme.options import Options
from grapheme.rng import generator
from grapheme.training.experiment import AbstractExperiment

SIZES = Sizes(train=800, validation=60, test=150)
"""How many samples there are of each domain."""

EPOCHS = 40
"""Passes over all samples."""

CONFIG = CollaborativeCortexConfig(learning_rate=0.002, embed_dim=32, hidden_dim=64)


@final
@dataclass(frozen=True, kw_only=True)
class CortexExperiment(AbstractExperiment):
    """A cortex and its samples; the seed decides parameters and the order of samples, not the samples."""

    name: str
    samples: Callable[[], SampleSets]
    config: CollaborativeCortexConfig = CONFIG
    max_steps: int
    validate_every: int
    """Steps of a pass over all samples."""
    restarts: int = 0
    mistakes: str = "wrong answers"
    attached: Mapping[str, bytes] = field(default_factory=dict)

    def hints(self, folder: str) -> dict[str, str]:
        """Return how to ask the cortex."""
        return {"Ask it": f"grapheme cortex {folder} INPUT"}

    def trainer(self, seed: int, attempt: int, dtype: str, backend: Backend) -> CollaborativeCortexTrainer:
        """Return a trainer with a fresh cortex."""
        rng = generator(seed, "wiring", attempt)
        cortex = Cortex.build(self.samples().train, self.config, dtype=dtype, rng=rng)
        return CollaborativeCortexTrainer(cortex, backend, seed, steps=self.max_steps)

    def batch(self, seed: int, attempt: int, step: int) -> Sequence[Sample]:
        """Return the samples of a training step; in every epoch all of them come once, in another order."""
        epoch, place = divmod(step, self.validate_every)
        samples, size = self.samples().train, self.config.batch_size
        order = _order(seed, attempt, epoch, len(samples))
        return [samples[i] for i in order[place * size : (place + 1) * size]]

    def score(self, model: Cortex, backend: Backend) -> Score:
        """Return how many samples of the validation set the cortex gets wrong."""
        held_out = self.samples().validation
        results = answer(model, [sample.source for sample in held_out], backend)
        domains = {brain.name: brain.domain for brain in model.brains}
        wrong = sum(
            not is_right(result, sample, domains[sample.domain])
            for result, sample in zip(results, held_out, strict=True)
        )
        return Score(wrong)


@lru_cache(maxsize=1)
def _order(seed: int, attempt: int, epoch: int, samples: int) -> list[int]:
    """Return the order of all samples in an epoch; every step of the epoch asks for it."""
    order: list[int] = generator(seed, "data", attempt, epoch).permutation(samples).tolist()
    return order


def cortex_experiment(
    name: str, samples: Callable[[], SampleSets], options: Options, attached: Mapping[str, bytes] | None = None
) -> CortexExperiment:
    """Return the experiment with some samples; it lasts for ``EPOCHS`` unless the options say otherwise."""
    steps = math.ceil(len(samples().train) / CONFIG.batch_size)
    return CortexExperiment(
        name=name,
        samples=samples,
        max_steps=options["max_steps"] or EPOCHS * steps,
        validate_every=steps,
        attached=attached or {},
    )


def load(options: Options, folder: Path | None) -> CortexExperiment:
    """Return the experiment with the samples that ship, or with those of a file."""
    if options["pairs"] is None:
        return cortex_experiment("cortex", _mixed, options)
    file = kept_or_given(folder, options["pairs"])
    sets = split(read_samples(file, options["domain"]), seed=0)
    name = f"cortex-{Path(options['pairs']).stem}"
    return cortex_experiment(name, lambda: sets, options, {KEPT: file.read_bytes()})


@cache
def _mixed() -> SampleSets:
    return mixed(0, SIZES)
