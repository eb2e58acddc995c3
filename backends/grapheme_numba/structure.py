"""The structural loss: one example after another, in small matrices, each step of it compiled.

The steps are called from Python, for all in one would take minutes to compile; a step is long enough for that not to
matter.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from grapheme.arrays import Floats
from grapheme.kernels.graph_arrays import GROUP, EditArrays, WholeTargets
from grapheme_numba.examples import Work, on_each_thread
from grapheme_numba.sinkhorn import distances, distances_grad, product, sinkhorn, sinkhorn_grad, turned


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
    losses = np.zeros(len(edits), nodes.dtype)
    grads = np.zeros_like(nodes), np.zeros_like(slots), np.zeros_like(pairs)
    e, t = edits, targets
    problem = (
        e.offsets, e.inserted_offsets, e.anchors, e.slots, e.pair_offsets, e.pairs,
        t.directed, t.offsets, t.labels, t.edge_offsets, t.edges, t.triangles.astype(nodes.dtype),
        np.array(weights, nodes.dtype), iterations, nodes.dtype.type(temperature),
    )  # fmt: skip
    logits = nodes, slots, pairs
    return (losses, *grads), lambda groups: _losses(*problem, *logits, losses, *grads, groups)


def _losses(
    offsets: Any, inserted_offsets: Any, anchors: Any, slots: Any, pair_offsets: Any, pairs: Any,
    directed: bool, target_offsets: Any, labels: Any, edge_offsets: Any, edges: Any, triangles: Any,
    weights: Any, iterations: int, temperature: Any, node_logits: Any, slot_logits: Any, pair_logits: Any,
    losses: Any, grad_nodes: Any, grad_slots: Any, grad_pairs: Any, groups: Any,
) -> None:  # fmt: skip
    examples, kinds = offsets.shape[0] - 1, pair_logits.shape[1] - 1
    for group in groups:
        for e in range(group * GROUP, min((group + 1) * GROUP, examples)):
            begin, count, new = offsets[e], offsets[e + 1] - offsets[e], inserted_offsets[e]
            known = count + inserted_offsets[e + 1] - new
            goal, wanted = target_offsets[e], target_offsets[e + 1] - target_offsets[e]
            size, q = max(known, wanted), pair_offsets[e]
            x = _what(node_logits[begin : begin + count], slot_logits[begin : begin + count],
                      anchors[new : inserted_offsets[e + 1]], slots[new : inserted_offsets[e + 1]], size)  # fmt: skip
            likely = pair_logits[q : pair_offsets[e + 1]].copy()
            _softmax(likely)
            mine = pairs[q : pair_offsets[e + 1]]
            soft = _soft_edges(x, mine, likely, directed, kinds)
            y, aim = _target(labels[goal : goal + wanted], edges[edge_offsets[e] : edge_offsets[e + 1]], size,
                             x.shape[1], kinds, directed, x.dtype.type(1))  # fmt: skip
            aimed_triangles = np.zeros(size, x.dtype)
            aimed_triangles[:wanted] = triangles[goal : goal + wanted]
            losses[e], grad_x, grad_soft = _loss(
                x, soft, y, aim, aimed_triangles, directed, weights, iterations, temperature
            )
            _pull_pairs(x, mine, likely, directed, grad_soft, grad_x, grad_pairs[q : pair_offsets[e + 1]])
            for i in range(known):
                if i < count:
                    _softmax_grad(x[i], grad_x[i], grad_nodes[begin + i])
                else:
                    at = new + i - count
                    _softmax_grad(x[i], grad_x[i], grad_slots[begin + anchors[at], slots[at]])


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


def _loss(
    x: Any, soft: Any, y: Any, aim: Any, aimed_triangles: Any, directed: bool, weights: Any, iterations: int,
    temperature: Any,
) -> Any:  # fmt: skip
    """Return the loss and its gradients by ``x`` and ``soft``."""
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
    total = weights[0] * (t * apart).sum()
    two = x.dtype.type(2)
    grad_t = weights[0] * apart
    grad_soft = np.empty_like(soft)
    for k in range(soft.shape[0]):
        gap = soft[k] - product(product(t, aim[k]), t_turned)
        total += weights[1] * (gap * gap).sum()
        grad_t -= two * weights[1] * product(product(gap, t), turned(aim[k]))
        grad_t -= two * weights[1] * product(product(turned(gap), t), aim[k])
        grad_soft[k] = two * weights[1] * gap
    grad_triangles = _triangle_gap(joined, joined_turned, directed, t, aimed_triangles)
    total += weights[2] * (grad_triangles * grad_triangles).sum()
    grad_triangles *= two * weights[2]
    for i in range(t.shape[0]):
        grad_t[i] -= grad_triangles[i] * aimed_triangles
    grad_cost = sinkhorn_grad(steps, grad_t * t) / -temperature
    grad_leaving = distances_grad(grad_cost, leaving, aimed_leaving)
    grad_entering = distances_grad(grad_cost, entering, aimed_entering)
    grad_x = distances_grad(grad_cost + weights[0] * t, x, y)
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
