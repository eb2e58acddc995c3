"""The structural loss: a soft graph against a target whose nodes have no order, through a Sinkhorn assignment."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from grapheme.arrays import Floats
from grapheme.kernels.graph_arrays import EditArrays, WholeTargets


def structural_loss(
    edits: EditArrays, targets: WholeTargets, nodes: Floats, slots: Floats, pairs: Floats,
    weights: tuple[float, float, float], iterations: int, temperature: float,
) -> tuple[Floats, Floats, Floats, Floats]:  # fmt: skip
    """Return the loss of each example and the gradients of the logits."""
    losses = np.zeros(len(edits), nodes.dtype)
    grads = np.zeros_like(nodes), np.zeros_like(slots), np.zeros_like(pairs)
    for example in range(len(edits)):
        soft = _Soft.of(edits, targets, nodes, slots, pairs, example)
        aim = _Target.of(targets, example, soft.size, nodes.shape[1], pairs.shape[1] - 1, nodes.dtype)
        losses[example], grad_what, grad_kinds = _loss(
            soft, aim, targets.directed, np.array(weights, nodes.dtype), iterations, nodes.dtype.type(temperature)
        )
        _pull_back(soft, edits, targets.directed, grad_what, grad_kinds, grads, example)
    return losses, *grads


@dataclass(frozen=True)
class _Soft:
    """What a batch's logits say about one example; blank nodes at the end."""

    what: Floats
    """(size, classes): X."""
    there: Floats
    """(size,): how much a node is there."""
    kinds: Floats
    """(kinds, size, size): A."""
    likely: Floats
    """(pairs, 1 + kinds): the softmax of the pairs."""
    known: int
    """How many nodes are not blank."""

    @property
    def size(self) -> int:
        return len(self.what)

    @classmethod
    def of(
        cls, edits: EditArrays, targets: WholeTargets, nodes: Floats, slots: Floats, pairs: Floats, example: int
    ) -> _Soft:
        first, last = edits.offsets[example : example + 2]
        new = slice(*edits.inserted_offsets[example : example + 2])
        logits = np.concatenate([nodes[first:last], slots[first + edits.anchors[new], edits.slots[new]]])
        wanted = targets.offsets[example + 1] - targets.offsets[example]
        what = np.zeros((max(len(logits), wanted), logits.shape[1]), logits.dtype)
        what[:, 0] = 1
        what[: len(logits)] = _softmax(logits)
        mine = slice(*edits.pair_offsets[example : example + 2])
        likely, there = _softmax(pairs[mine]), 1 - what[:, 0]
        kinds = np.zeros((pairs.shape[1] - 1, len(what), len(what)), logits.dtype)
        for (a, b), row in zip(edits.pairs[mine], likely, strict=True):
            kinds[:, a, b] = row[1:] * there[a] * there[b]
            if not targets.directed:
                kinds[:, b, a] = kinds[:, a, b]
        return cls(what, there, kinds, likely, len(logits))


@dataclass(frozen=True)
class _Target:
    what: Floats
    """(size, classes): Y."""
    kinds: Floats
    """(kinds, size, size): B."""
    triangles: Floats
    """(size,)."""

    @classmethod
    def of(cls, targets: WholeTargets, example: int, size: int, classes: int, kinds: int, dtype: np.dtype) -> _Target:
        first, last = targets.offsets[example : example + 2]
        what, adjacency = np.zeros((size, classes), dtype), np.zeros((kinds, size, size), dtype)
        what[np.arange(last - first), 1 + targets.labels[first:last]] = 1
        what[last - first :, 0] = 1
        for a, b, kind in targets.edges[slice(*targets.edge_offsets[example : example + 2])]:
            adjacency[kind, a, b] = 1
            if not targets.directed:
                adjacency[kind, b, a] = 1
        triangles = np.zeros(size, dtype)
        triangles[: last - first] = targets.triangles[first:last]
        return cls(what, adjacency, triangles)


def _loss(
    soft: _Soft, aim: _Target, directed: bool, weights: Floats, iterations: int, temperature: np.floating
) -> tuple[Any, Floats, Floats]:
    """Return the loss and its gradients by ``soft.what`` and ``soft.kinds``."""
    x, y, joined, aimed = soft.what, aim.what, soft.kinds.sum(axis=0), aim.kinds.sum(axis=0)
    leaving, entering = joined @ x, joined.T @ x
    apart = _distances(x, y)
    cost = apart + _distances(leaving, aimed @ y) + _distances(entering, aimed.T @ y)
    steps = _sinkhorn(-cost / temperature, iterations)
    t = np.exp(steps[-1])
    edge_gap = soft.kinds - t @ aim.kinds @ t.T
    sides = _sides(joined, directed)
    triangle_gap = np.diagonal(sides @ sides @ sides) / 2 - t @ aim.triangles
    parts = np.array([(t * apart).sum(), (edge_gap**2).sum(), (triangle_gap**2).sum()], x.dtype)

    alpha, beta, gamma = weights
    grad_t = alpha * apart - 2 * gamma * np.outer(triangle_gap, aim.triangles)
    for gap, kind in zip(edge_gap, aim.kinds, strict=True):
        grad_t = grad_t - 2 * beta * (gap @ t @ kind.T + gap.T @ t @ kind)
    grad_cost = -_sinkhorn_grad(steps, grad_t * t) / temperature
    grad_x = _distances_grad(grad_cost + alpha * t, x, y)
    grad_leaving = _distances_grad(grad_cost, leaving, aimed @ y)
    grad_entering = _distances_grad(grad_cost, entering, aimed.T @ y)
    grad_x = grad_x + joined.T @ grad_leaving + joined @ grad_entering
    grad_joined = grad_leaving @ x.T + x @ grad_entering.T
    grad_joined = grad_joined + _sides_grad(joined, directed, _triangles_grad(sides, 2 * gamma * triangle_gap))
    return weights @ parts, grad_x, 2 * beta * edge_gap + grad_joined


def _distances(rows: Floats, others: Floats) -> Floats:
    """Return the squared distance of every row from every other."""
    squares: Floats = ((rows[:, None] - others[None]) ** 2).sum(axis=2)
    return squares


def _distances_grad(grad: Floats, rows: Floats, others: Floats) -> Floats:
    result: Floats = 2 * (grad.sum(axis=1, keepdims=True) * rows - grad @ others)
    return result


def _sinkhorn(scores: Floats, iterations: int) -> list[Floats]:
    """Return the logarithm of the assignment at first, and after each time rows or columns were made to sum to 1."""
    steps = [scores]
    for _ in range(iterations):
        for axis in (1, 0):
            steps.append(steps[-1] - _log_sum(steps[-1], axis))
    return steps


def _sinkhorn_grad(steps: list[Floats], grad: Floats) -> Floats:
    """Pull the gradient of the last step back to the first: a row made to sum to 1 is a softmax."""
    for number in reversed(range(1, len(steps))):
        axis = number % 2
        grad = grad - np.exp(steps[number]) * grad.sum(axis=axis, keepdims=True)
    return grad


def _log_sum(values: Floats, axis: int) -> Floats:
    largest = values.max(axis=axis, keepdims=True)
    result: Floats = largest + np.log(np.exp(values - largest).sum(axis=axis, keepdims=True))
    return result


def _sides(joined: Floats, directed: bool) -> Floats:
    """Return how much two nodes are joined, one way or both."""
    sides = joined + joined.T - joined * joined.T if directed else joined.copy()
    np.fill_diagonal(sides, 0)
    return sides


def _sides_grad(joined: Floats, directed: bool, grad: Floats) -> Floats:
    below = (grad + grad.T) * (1 - joined.T) if directed else grad.copy()
    np.fill_diagonal(below, 0)
    return below


def _triangles_grad(sides: Floats, grad: Floats) -> Floats:
    """Return the gradient of the sides, given that of half the diagonal of their cube."""
    twice = sides @ sides
    result: Floats = (twice * grad + sides @ (grad[:, None] * sides) + grad[:, None] * twice).T / 2
    return result


def _pull_back(
    soft: _Soft, edits: EditArrays, directed: bool, grad_what: Floats, grad_kinds: Floats,
    grads: tuple[Floats, Floats, Floats], example: int,
) -> None:  # fmt: skip
    """Write the gradients of an example's logits."""
    first, last = edits.offsets[example : example + 2]
    mine = slice(*edits.pair_offsets[example : example + 2])
    new = slice(*edits.inserted_offsets[example : example + 2])
    grad_there, grad_likely = np.zeros_like(soft.there), np.zeros_like(soft.likely)
    for pair, (a, b) in enumerate(edits.pairs[mine]):
        above = grad_kinds[:, a, b] if directed or a == b else grad_kinds[:, a, b] + grad_kinds[:, b, a]
        grad_likely[pair, 1:] = above * soft.there[a] * soft.there[b]
        along = above @ soft.likely[pair, 1:]
        grad_there[a] += along * soft.there[b]
        grad_there[b] += along * soft.there[a]
    grad_what = grad_what.copy()
    grad_what[:, 0] -= grad_there
    rows = _softmax_grad(soft.what[: soft.known], grad_what[: soft.known])
    grads[0][first:last] = rows[: last - first]
    grads[1][first + edits.anchors[new], edits.slots[new]] = rows[last - first :]
    grads[2][mine] = _softmax_grad(soft.likely, grad_likely)


def _softmax(logits: Floats) -> Floats:
    powers = np.exp(logits - logits.max(axis=1, keepdims=True))
    result: Floats = powers / powers.sum(axis=1, keepdims=True)
    return result


def _softmax_grad(likely: Floats, grad: Floats) -> Floats:
    result: Floats = likely * (grad - (likely * grad).sum(axis=1, keepdims=True))
    return result
