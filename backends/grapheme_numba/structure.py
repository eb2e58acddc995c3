"""The structural loss: one example after another, in small matrices, each step of it compiled.

The steps are called from Python, for all in one would take minutes to compile; a step is long enough for that not to
matter.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import njit

from grapheme.arrays import Floats
from grapheme.kernels.csr import Offsets
from grapheme.kernels.graph_arrays import GROUP, EditArrays, WholeTargets
from grapheme_numba.examples import Work, on_each_thread
from grapheme_numba.heads import Logits
from grapheme_numba.sinkhorn import distances, distances_grad, product, sinkhorn, sinkhorn_grad, turned


class Weights(NamedTuple):
    """How much each part of the loss counts, in the precision of the logits."""

    nodes: Any
    edges: Any
    triangles: Any


class Matching(NamedTuple):
    """How a soft matching of nodes is found."""

    directed: bool
    weights: Weights
    iterations: int
    temperature: Any


def structural_loss(
    edits: EditArrays, targets: WholeTargets, nodes: Floats, slots: Floats, pairs: Floats,
    weights: tuple[float, float, float], iterations: int, temperature: float,
) -> tuple[Floats, Floats, Floats, Floats]:  # fmt: skip
    """Return the loss of each example and the gradients of the logits."""
    result, work = structural_loss_work(edits, targets, nodes, slots, pairs, weights, iterations, temperature)
    on_each_thread(edits.offsets, work)
    return result


def structural_loss_work(
    edits: EditArrays, targets: WholeTargets, nodes: Floats, slots: Floats, pairs: Floats,
    weights: tuple[float, float, float], iterations: int, temperature: float,
) -> tuple[tuple[Floats, Floats, Floats, Floats], Work]:  # fmt: skip
    """Return losses and gradients that are 0, and the work that adds to them."""
    losses, kind = np.zeros(len(edits), nodes.dtype), nodes.dtype.type
    matching = Matching(targets.directed, Weights(*map(kind, weights)), iterations, kind(temperature))
    logits, grads = Logits(nodes, slots, pairs), Logits(*map(np.zeros_like, (nodes, slots, pairs)))
    return (losses, *grads), lambda groups: _losses(edits, targets, matching, logits, losses, grads, groups)


def _losses(
    edits: EditArrays, targets: WholeTargets, matching: Matching, logits: Logits, losses: Floats, grads: Logits,
    groups: np.ndarray,
) -> None:  # fmt: skip
    """Fill the losses of some groups and the gradients of their logits."""
    for group in groups.tolist():
        for example in range(group * GROUP, min((group + 1) * GROUP, len(edits))):
            losses[example] = _loss_of(example, edits, targets, matching, logits, grads)


def _loss_of(
    example: int, edits: EditArrays, targets: WholeTargets, matching: Matching, logits: Logits, grads: Logits
) -> Any:
    """Return the loss of one example and fill the gradients of its logits."""
    directed, dtype, kinds = matching.directed, logits.nodes.dtype, logits.pairs.shape[1] - 1
    nodes, inserted = _own(edits.offsets, example), _own(edits.inserted_offsets, example)
    joined, aimed = _own(edits.pair_offsets, example), _own(targets.offsets, example)
    anchors, slots, pairs = edits.anchors[inserted], edits.slots[inserted], edits.pairs[joined]
    labels, edges = targets.labels[aimed], targets.edges[_own(targets.edge_offsets, example)]
    count = nodes.stop - nodes.start
    size = max(count + len(anchors), len(labels))
    x = _what(logits.nodes[nodes], logits.slots[nodes], anchors, slots, size)
    likely = logits.pairs[joined].copy()
    _softmax(likely)
    soft = _soft_edges(x, pairs, likely, directed, kinds)
    y, aim = _target(labels, edges, size, x.shape[1], kinds, directed, dtype.type(1))
    triangles = np.zeros(size, dtype)
    triangles[: len(labels)] = targets.triangles[aimed]
    loss, grad_x, grad_soft = _loss(x, soft, y, aim, triangles, matching)
    _pull_pairs(x, pairs, likely, directed, grad_soft, grad_x, grads.pairs[joined])
    for i in range(count):
        _softmax_grad(x[i], grad_x[i], grads.nodes[nodes.start + i])
    for i, (anchor, slot) in enumerate(zip(anchors, slots, strict=True), count):
        _softmax_grad(x[i], grad_x[i], grads.slots[nodes.start + anchor, slot])
    return loss


def _own(offsets: Offsets, example: int) -> slice:
    """Return the stretch of an example."""
    return slice(int(offsets[example]), int(offsets[example + 1]))


@njit(cache=True, nogil=True)
def _what(nodes: Any, slot_logits: Any, anchors: Any, slots: Any, size: int) -> Any:
    """Return what every soft node is, blank ones last."""
    count, known = nodes.shape[0], nodes.shape[0] + anchors.shape[0]
    x = np.zeros((size, nodes.shape[1]), nodes.dtype)
    x[:count] = nodes
    for i in range(count, known):
        x[i] = slot_logits[anchors[i - count], slots[i - count]]
    _softmax(x[:known])
    x[known:, 0] = 1
    return x


@njit(cache=True, nogil=True)
def _soft_edges(x: Any, pairs: Any, likely: Any, directed: bool, kinds: int) -> Any:
    soft = np.zeros((kinds, x.shape[0], x.shape[0]), x.dtype)
    one = x.dtype.type(1)
    for q in range(pairs.shape[0]):
        a, b = pairs[q, 0], pairs[q, 1]
        for k in range(kinds):
            soft[k, a, b] = likely[q, 1 + k] * (one - x[a, 0]) * (one - x[b, 0])
            if not directed:
                soft[k, b, a] = soft[k, a, b]
    return soft


@njit(cache=True, nogil=True)
def _target(labels: Any, edges: Any, size: int, classes: int, kinds: int, directed: bool, one: Any) -> Any:
    y = np.zeros((size, classes), np.asarray(one).dtype)
    aim = np.zeros((kinds, size, size), np.asarray(one).dtype)
    for i in range(size):
        y[i, 1 + labels[i] if i < labels.shape[0] else 0] = one
    for i in range(edges.shape[0]):
        a, b, kind = edges[i, 0], edges[i, 1], edges[i, 2]
        aim[kind, a, b] = one
        if not directed:
            aim[kind, b, a] = one
    return y, aim


def _loss(x: Any, soft: Any, y: Any, aim: Any, aimed_triangles: Any, matching: Matching) -> Any:
    """Return the loss and its gradients by ``x`` and ``soft``."""
    directed, weights, iterations, temperature = matching
    joined, aimed = np.zeros_like(soft[0]), np.zeros_like(soft[0])
    for k in range(soft.shape[0]):
        joined += soft[k]
        aimed += aim[k]
    joined_turned, aimed_turned = turned(joined), turned(aimed)
    leaving, entering = product(joined, x), product(joined_turned, x)
    aimed_leaving, aimed_entering = product(aimed, y), product(aimed_turned, y)
    apart = distances(x, y)
    cost = apart + distances(leaving, aimed_leaving) + distances(entering, aimed_entering)
    steps = sinkhorn(-cost / temperature, iterations)
    t = np.exp(steps[-1])
    t_turned = turned(t)
    total = weights.nodes * (t * apart).sum()
    two = x.dtype.type(2)
    grad_t = weights.nodes * apart
    grad_soft = np.empty_like(soft)
    for k in range(soft.shape[0]):
        gap = soft[k] - product(product(t, aim[k]), t_turned)
        total += weights.edges * (gap * gap).sum()
        grad_t -= two * weights.edges * product(product(gap, t), turned(aim[k]))
        grad_t -= two * weights.edges * product(product(turned(gap), t), aim[k])
        grad_soft[k] = two * weights.edges * gap
    grad_triangles = _triangle_gap(joined, joined_turned, directed, t, aimed_triangles)
    total += weights.triangles * (grad_triangles * grad_triangles).sum()
    grad_triangles *= two * weights.triangles
    for i in range(t.shape[0]):
        grad_t[i] -= grad_triangles[i] * aimed_triangles
    grad_cost = sinkhorn_grad(steps, grad_t * t) / -temperature
    grad_leaving = distances_grad(grad_cost, leaving, aimed_leaving)
    grad_entering = distances_grad(grad_cost, entering, aimed_entering)
    grad_x = distances_grad(grad_cost + weights.nodes * t, x, y)
    grad_x += product(joined_turned, grad_leaving) + product(joined, grad_entering)
    grad_joined = product(grad_leaving, turned(x)) + product(x, turned(grad_entering))
    grad_joined += _triangles_grad(joined, joined_turned, directed, grad_triangles)
    for k in range(soft.shape[0]):
        grad_soft[k] += grad_joined
    return total, grad_x, grad_soft


@njit(cache=True, nogil=True)
def _sides(joined: Any, joined_turned: Any, directed: bool) -> Any:
    """Return how much two nodes are joined, one way or both."""
    sides = joined + joined_turned - joined * joined_turned if directed else joined.copy()
    for i in range(sides.shape[0]):
        sides[i, i] = 0
    return sides


@njit(cache=True, nogil=True)
def _triangle_gap(joined: Any, joined_turned: Any, directed: bool, t: Any, aimed: Any) -> Any:
    """Return for each soft node how many triangles too many it is in."""
    sides = _sides(joined, joined_turned, directed)
    twice = product(sides, sides)
    gap = np.zeros(t.shape[0], t.dtype)
    half = t.dtype.type(0.5)
    for i in range(t.shape[0]):
        found, wanted = t.dtype.type(0), t.dtype.type(0)
        for j in range(t.shape[0]):
            found += twice[i, j] * sides[j, i]
            wanted += t[i, j] * aimed[j]
        gap[i] = half * found - wanted
    return gap


@njit(cache=True, nogil=True)
def _triangles_grad(joined: Any, joined_turned: Any, directed: bool, grad: Any) -> Any:
    """Return the gradient of ``joined``, given that of each node's triangles."""
    sides = _sides(joined, joined_turned, directed)
    twice, scaled = product(sides, sides), sides.copy()
    for i in range(grad.shape[0]):
        scaled[i] *= grad[i]
    below = product(sides, scaled)
    for i in range(grad.shape[0]):
        below[i] += twice[i] * grad + grad[i] * twice[i]
    below = turned(below) * grad.dtype.type(0.5)
    if directed:
        below = (below + turned(below)) * (grad.dtype.type(1) - joined_turned)
    for i in range(grad.shape[0]):
        below[i, i] = 0
    return below


@njit(cache=True, nogil=True)
def _pull_pairs(x: Any, pairs: Any, likely: Any, directed: bool, grad_soft: Any, grad_x: Any, out: Any) -> None:
    """Write the gradient of the pairs' logits, and take that of how much nodes are there from ``grad_x``."""
    kinds, one = grad_soft.shape[0], x.dtype.type(1)
    grad = np.zeros(1 + kinds, x.dtype)
    for q in range(pairs.shape[0]):
        a, b = pairs[q, 0], pairs[q, 1]
        along = x.dtype.type(0)
        for k in range(kinds):
            above = grad_soft[k, a, b]
            if not directed and a != b:
                above += grad_soft[k, b, a]
            grad[1 + k] = above * (one - x[a, 0]) * (one - x[b, 0])
            along += above * likely[q, 1 + k]
        grad_x[a, 0] -= along * (one - x[b, 0])
        grad_x[b, 0] -= along * (one - x[a, 0])
        _softmax_grad(likely[q], grad, out[q])


@njit(cache=True, nogil=True)
def _softmax(rows: Any) -> None:
    """Replace logits by their softmax."""
    for i in range(rows.shape[0]):
        largest, total = rows[i, 0], rows.dtype.type(0)
        for j in range(rows.shape[1]):
            largest = max(largest, rows[i, j])
        for j in range(rows.shape[1]):
            rows[i, j] = np.exp(rows[i, j] - largest)
            total += rows[i, j]
        for j in range(rows.shape[1]):
            rows[i, j] /= total


@njit(cache=True, nogil=True)
def _softmax_grad(likely: Any, grad: Any, out: Any) -> None:
    """Write the gradient of logits, given that of their softmax."""
    along = likely.dtype.type(0)
    for j in range(likely.shape[0]):
        along += likely[j] * grad[j]
    for j in range(likely.shape[0]):
        out[j] = likely[j] * (grad[j] - along)
