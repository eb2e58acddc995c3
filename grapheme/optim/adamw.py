"""AdamW on named arrays of any backend, after clipping each element of the gradient."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import final

import numpy as np

from grapheme.arrays import Array
from grapheme.backend import Backend
from grapheme.errors import InvalidInputError
from grapheme.models.model import Tensors


@final
@dataclass
class AdamW:
    """Adam with decoupled weight decay (Loshchilov and Hutter, 2019)."""

    lr: float = 0.001
    betas: tuple[float, float] = (0.9, 0.999)
    weight_decay: float = 0.0
    clip: float | None = None
    eps: float = 1e-8
    steps: int = 0
    first: dict[str, Array] = field(default_factory=dict)
    second: dict[str, Array] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not self.lr > 0 or not self.weight_decay >= 0 or not all(0 <= beta < 1 for beta in self.betas):
            raise InvalidInputError(
                f"Give lr > 0, weight_decay >= 0 and betas from 0 up to below 1; "
                f"got {self.lr}, {self.weight_decay} and {self.betas}."
            )
        if self.clip is not None and not self.clip > 0:
            raise InvalidInputError(f"Give clip > 0, or None for no clipping; got {self.clip}.")

    def update(self, parameters: dict[str, Array], grads: dict[str, Array], backend: Backend) -> dict[str, Array]:
        """Return the parameters after one step; nothing that was passed in is changed."""
        self.steps += 1
        return {name: self._one(name, value, grads[name], backend) for name, value in parameters.items()}

    def _one(self, name: str, value: Array, grad: Array, backend: Backend) -> Array:
        xp = backend.xp
        if self.clip is not None:
            grad = xp.clip(grad, -self.clip, self.clip)
        (beta1, beta2), zero = self.betas, xp.zeros_like(value)
        first = self.first[name] = beta1 * self.first.get(name, zero) + (1 - beta1) * grad
        second = self.second[name] = beta2 * self.second.get(name, zero) + (1 - beta2) * grad * grad
        correction = (1 - beta2**self.steps) ** 0.5  # both bias corrections, moved from the arrays to two scalars
        rate = self.lr * correction / (1 - beta1**self.steps)
        change = rate * (first / (xp.sqrt(second) + self.eps * correction))
        return value * (1 - self.lr * self.weight_decay) - change

    def state(self, backend: Backend) -> Tensors:
        """Return the moments, the count of steps and the learning rate as arrays of the host."""
        moments = {"first": self.first, "second": self.second}
        arrays = {
            f"{kind}.{name}": backend.to_numpy(a) for kind, by_name in moments.items() for name, a in by_name.items()
        }
        return {"steps": np.array([self.steps], np.int64), "lr": np.array([self.lr]), **arrays}

    def restore(self, state: Tensors, backend: Backend) -> None:
        """Continue from what ``state`` returned."""
        self.steps = int(state["steps"][0])
        self.lr = float(state["lr"][0]) if "lr" in state else self.lr
        for kind, into in (("first", self.first), ("second", self.second)):
            into.clear()
            into.update(
                {k.removeprefix(f"{kind}."): backend.asarray(a) for k, a in state.items() if k.startswith(f"{kind}.")}
            )
