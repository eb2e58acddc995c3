"""Loss and gradient of a network on a batch of examples, a chunk at a time, on arrays of any backend."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from grapheme.arrays import Array, Bits, Floats
from grapheme.backend import Backend
from grapheme.kernels.graph_arrays import GROUP
from grapheme.timing import section
from grapheme.transform.losses import AbstractLoss, EditLoss
from grapheme.transform.model import PARTS, GraphEditNet
from grapheme.transform.supervision import Example


@dataclass(frozen=True, eq=False)
class LossAndGrad:
    """What a step needs to know of a batch."""

    loss_per_example: Floats
    right: Bits
    """(examples,): which are right when every decision is the likeliest one."""
    grads: dict[str, Array]
    """The gradient of the sum of the losses, by part of the network; arrays of the backend."""

    @property
    def loss(self) -> float:
        """The sum of all losses."""
        return float(self.loss_per_example.sum(dtype=np.float64))


def loss_and_grad(
    model: GraphEditNet, examples: Example, backend: Backend, loss: AbstractLoss | None = None
) -> LossAndGrad:
    """Return the losses of examples and the gradient of their sum."""
    loss = loss or EditLoss()
    totals: dict[str, Array] = {}
    losses, right = [], []
    here = model.on(backend)
    for batch in _chunks(model, examples, backend):
        found, logits, *parts = backend.cortex.learn(
            model.encoder,
            model.heads,
            batch.graphs,
            batch.edits,
            batch.targets,
            here["encoder"],
            here["heads"],
            loss.settings,
        )
        losses.append(backend.to_numpy(found))
        with section("loss"):
            right.append(loss.right(batch, [backend.to_numpy(part) for part in logits]))
        with section("merge"):
            for name, rows in zip(PARTS, parts, strict=True):
                for row in range(rows.shape[0]):
                    totals[name] = totals[name] + rows[row, ...] if name in totals else rows[row, ...]
    return LossAndGrad(np.concatenate(losses), np.concatenate(right), totals)


def losses_of(model: GraphEditNet, examples: Example, backend: Backend, loss: AbstractLoss) -> tuple[Floats, Bits]:
    """Return the loss of each example, and which are right."""
    losses, right = [], []
    for batch in _chunks(model, examples, backend):
        logits = model.scores(batch.edits, model.embed(batch.graphs, backend)[0][-1, ...], backend)
        losses.append(backend.to_numpy(loss.of(batch, logits, backend)[0]))
        right.append(loss.right(batch, [backend.to_numpy(part) for part in logits]))
    return np.concatenate(losses), np.concatenate(right)


def decided(batch: Example, logits: Sequence[Floats]) -> Bits:
    """Return of which examples (examples,) every decision is right."""
    return EditLoss().right(batch, logits)


def _chunks(model: GraphEditNet, examples: Example, backend: Backend) -> Iterator[Example]:
    """Cut a batch where a group of examples ends, so that chunks change no partial sum."""
    count, nodes, pairs = len(examples), len(examples.edits.labels), len(examples.edits.pairs)
    wide = 2 * model.shape.layers * model.shape.width + len(model.vocabulary.labels) * (1 + model.space.slots)
    values = 3 * (nodes * wide + pairs * (1 + model.space.kinds)) / count
    sums = (model.encoder.size + model.heads.size) / GROUP
    size = backend.parallelism.chunk(count, int(8 * (values + sums)), GROUP)
    if size == count:
        yield examples
        return
    for first in range(0, count, size):
        yield examples.take(np.arange(first, min(first + size, count)))
