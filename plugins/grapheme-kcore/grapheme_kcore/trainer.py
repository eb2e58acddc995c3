"""Trains message passing: AdamW on the mean cross-entropy of nodes."""

from __future__ import annotations

from typing import final

import numpy as np

from grapheme.arrays import Array
from grapheme.backend import Backend
from grapheme.models.model import AbstractTrainer, Metrics, Tensors
from grapheme.optim.adamw import AdamW
from grapheme.optim.schedules import second_half
from grapheme_kcore.graphs import Graphs
from grapheme_kcore.model import MessagePassing, sigmoid

OPTIMISER = "optimiser."
"""Begins the names of the optimiser's arrays in a checkpoint, beside those of the model."""


@final
class MessagePassingTrainer(AbstractTrainer):
    """Changes ``model`` in place; the learning rate ``lr`` falls in the second half of ``steps``."""

    model: MessagePassing

    def __init__(self, model: MessagePassing, lr: float, steps: int, backend: Backend) -> None:
        self.model, self.lr, self.steps, self.backend = model, lr, steps, backend
        self.optimiser = AdamW(lr)
        model.place(backend)

    def train_on(self, batch: Graphs) -> Metrics:
        """Take one step on a batch of graphs; the metrics are those before it."""
        loss, wrong, grads = self.loss_and_grads(batch)
        self.optimiser.lr = second_half(self.lr, self.optimiser.steps, self.steps)
        parameters = self.model.parameters
        parameters.replace(self.optimiser.update(parameters.on(self.backend), grads, self.backend), self.backend)
        nodes = batch.members.size
        return Metrics(soft_loss=loss * nodes, hard_loss=wrong, soft_mean=loss, accuracy=1 - wrong / nodes)

    def loss_and_grads(self, batch: Graphs) -> tuple[float, int, dict[str, Array]]:
        """Return the mean cross-entropy of a batch, how many nodes are wrong, and the gradients of the mean."""
        backend, xp, nodes = self.backend, self.backend.xp, batch.members.size
        adjacency, target = (self.model.placed(bits, backend) for bits in batch)
        states, logits = self.model.forward(adjacency, backend)
        loss = xp.sum(xp.logaddexp(xp.zeros_like(logits), logits) - target * logits) / nodes
        grads = self.model.backward(adjacency, states, (sigmoid(logits, backend) - target) / nodes, backend)
        wrong = np.count_nonzero((backend.to_numpy(logits) > 0) != batch.members)
        return float(loss), int(wrong), grads

    def state(self) -> Tensors:
        """Return model and optimiser as arrays of the host."""
        optimiser = self.optimiser.state(self.backend)
        return self.model.tensors() | {OPTIMISER + name: array for name, array in optimiser.items()}

    def restore(self, state: Tensors) -> None:
        """Continue from what ``state`` returned."""
        self.model = MessagePassing(state)
        self.model.place(self.backend)
        kept = {name.removeprefix(OPTIMISER): array for name, array in state.items() if name.startswith(OPTIMISER)}
        self.optimiser.restore(kept, self.backend)
