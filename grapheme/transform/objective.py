"""Loss and gradient of a network on a batch of examples, a chunk at a time, on arrays of any backend."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from grapheme.arrays import Array, Bits, Floats
from grapheme.backend import Backend
from grapheme.graph_arrays import GROUP
from grapheme.timing import section
from grapheme.transform.losses import AbstractLoss, EditLoss
from grapheme.transform.supervision import Example

if TYPE_CHECKING:
    from grapheme.transform.model import GraphEditNet


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
    for batch in _chunks(model, examples, backend):
        with section("forward"):
            states, sums = model.embed(batch.graphs, backend)
            logits = model.scores(batch.edits, states[-1, ...], backend)
        with section("loss"):
            per_example, *grads = loss.of(batch, logits, backend)
            right.append(loss.right(batch, [backend.to_numpy(part) for part in logits]))
        losses.append(backend.to_numpy(per_example))
        for name, parts in _backward(model, batch, states, sums, grads, backend).items():
            with section("merge"):
                for part in range(parts.shape[0]):
                    row = parts[part, ...]
                    totals[name] = totals[name] + row if name in totals else row
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


def _backward(
    model: GraphEditNet, batch: Example, states: Array, sums: Array, grads: Sequence[Array], backend: Backend
) -> dict[str, Array]:
    """Return the gradients as partial sums, by part of the network."""
    here = model.on(backend)
    with section("backward"):
        embeddings = states[-1, ...]
        grad, heads = backend.kernel("cortex.edit_scores_grad")(
            model.heads, batch.edits, here["heads"], embeddings, *grads
        )
        encoder = backend.kernel("cortex.encode_grad")(model.encoder, batch.graphs, here["encoder"], states, sums, grad)
    return {"encoder": encoder, "heads": heads}


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
