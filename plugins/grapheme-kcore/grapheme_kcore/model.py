"""A rule of message passing that every node follows in every round, as the cells of an automaton follow theirs."""

from __future__ import annotations

from typing import NamedTuple, Self, final

import numpy as np

from grapheme.arrays import Array, Bits
from grapheme.backend import Backend
from grapheme.backend.selection import resolve
from grapheme.errors import InvalidInputError
from grapheme.graph.abstract import AbstractGraph
from grapheme.models.model import AbstractModel, Tensors
from grapheme.models.parameters import Parameters


class Shape(NamedTuple):
    """The shapes of all parameters, by their names."""

    own: tuple[int, ...]
    heard: tuple[int, ...]
    bias: tuple[int, ...]
    read: tuple[int, ...]
    offset: tuple[int, ...]

    @classmethod
    def of(cls, width: int) -> Self:
        """Return the shapes for nodes whose states are ``width`` numbers."""
        return cls(own=(width, width), heard=(width, width), bias=(width,), read=(width,), offset=(1,))


@final
class MessagePassing(AbstractModel):
    """Nodes that hear the sum of their neighbours' states and decide in the end whether they belong.

    With the states h (nodes, width), all 1 at first, and the adjacency matrix A, a round is
    h <- sigmoid(h own + A h heard + bias); after the last one the logit of a node is h read + offset. There are as
    many rounds as nodes, so that news from anywhere gets everywhere, whatever the size of a graph.
    """

    kind = "message-passing"

    def __init__(self, tensors: Tensors) -> None:
        shapes = Shape.of(len(tensors["bias"]))._asdict()
        for name, shape in shapes.items():
            if tensors[name].shape != shape:
                raise ValueError(f"the parameter '{name}' has the shape {tensors[name].shape}, not {shape}")
        self.width, self.dtype = len(tensors["bias"]), tensors["bias"].dtype
        self.parameters = Parameters({name: tensors[name] for name in shapes})

    @classmethod
    def build(cls, width: int, dtype: str, rng: np.random.Generator) -> Self:
        """Return a model whose weights are random; those of messages are smaller, for there are several of them."""
        scale = {"own": width**-0.5, "heard": 0.5 * width**-0.5, "bias": 0.0, "read": width**-0.5, "offset": 0.0}
        shapes = Shape.of(width)._asdict()
        return cls({name: rng.normal(0, scale[name], shape).astype(dtype) for name, shape in shapes.items()})

    def __call__(self, graph: AbstractGraph, backend: Backend | str | None = None) -> Bits:
        """Return which nodes (nodes,) of an undirected graph belong; loops make no neighbours."""
        if graph.directed:
            raise InvalidInputError("Give an undirected graph; a k-core is one of neighbours.")
        adjacency = np.zeros((1, graph.nodes, graph.nodes), np.bool_)
        one, other = graph.edge_list[graph.edge_list[:, 0] != graph.edge_list[:, 1]].T
        adjacency[0, one, other] = adjacency[0, other, one] = True
        members: Bits = self.members(adjacency, resolve(backend))[0]
        return members

    def members(self, adjacency: Bits, backend: Backend) -> Bits:
        """Return which nodes (graphs, nodes) of graphs (graphs, nodes, nodes) belong."""
        _, logits = self.forward(self.placed(adjacency, backend), backend)
        return np.asarray(backend.to_numpy(logits) > 0)

    def placed(self, bits: Bits, backend: Backend) -> Array:
        """Return bits of the host as numbers of the parameters' type, where ``backend`` works."""
        return backend.asarray(bits.astype(self.dtype))

    def forward(self, adjacency: Array, backend: Backend) -> tuple[list[Array], Array]:
        """Return the states (graphs, nodes, width) before and after each round, and the logits (graphs, nodes)."""
        p, (graphs, nodes) = self.parameters.on(backend), adjacency.shape[:2]
        states = [self.placed(np.ones((graphs, nodes, self.width), np.bool_), backend)]
        for _ in range(nodes):
            h = states[-1]
            states.append(sigmoid(h @ p["own"] + adjacency @ h @ p["heard"] + p["bias"], backend))
        return states, states[-1] @ p["read"] + p["offset"]

    def backward(self, adjacency: Array, states: list[Array], logit_grads: Array, backend: Backend) -> dict[str, Array]:
        """Return the gradients of the parameters, given those of the logits: the chain rule, last round first."""
        xp, p = backend.xp, self.parameters.on(backend)
        grads = {name: xp.zeros_like(value) for name, value in p.items()}
        grads["read"] = xp.sum(states[-1] * logit_grads[..., None], axis=(0, 1))
        grads["offset"] = xp.reshape(xp.sum(logit_grads), (1,))
        grad = logit_grads[..., None] * p["read"]
        for before, after in zip(reversed(states[:-1]), reversed(states), strict=False):
            inner = grad * after * (1 - after)  # through the sigmoid
            heard = adjacency @ inner  # a message is heard where it was sent: A is symmetric
            grads["own"] = grads["own"] + _outer(before, inner, backend)
            grads["heard"] = grads["heard"] + _outer(before, heard, backend)
            grads["bias"] = grads["bias"] + xp.sum(inner, axis=(0, 1))
            grad = inner @ p["own"].T + heard @ p["heard"].T
        return grads

    def tensors(self) -> Tensors:
        """Return the parameters; their shapes say the rest."""
        return self.parameters.tensors()

    def place(self, backend: Backend) -> None:
        """Move the parameters to where ``backend`` works."""
        self.parameters.place(backend)

    def describe(self) -> dict[str, str]:
        """Return how large the model is."""
        return {"state": f"{self.width} numbers a node", "parameters": str(self.parameters.size)}


def sigmoid(x: Array, backend: Backend) -> Array:
    """Return 1 / (1 + exp(-x)) by the hyperbolic tangent, which does not overflow."""
    return 0.5 + 0.5 * backend.xp.tanh(0.5 * x)


def _outer(left: Array, right: Array, backend: Backend) -> Array:
    """Return the products (width, width) of two arrays (graphs, nodes, width), summed over all nodes."""
    flat = [backend.xp.reshape(array, (-1, array.shape[-1])) for array in (left, right)]
    return flat[0].T @ flat[1]
