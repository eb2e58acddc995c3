"""Directed acyclic graphs: their levels, and values that flow through them level by level."""

from __future__ import annotations

import weakref
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from grapheme.arrays import Array, Bits, Floats, Ints
from grapheme.backend import Backend
from grapheme.backend.selection import resolve
from grapheme.errors import InvalidInputError
from grapheme.graph.abstract import AbstractGraph
from grapheme.kernels.csr import Csr, Offsets, offsets_of

SLOPE = 0.01
SHOWN = 12
"""How many nodes of a cycle an error shows."""


@dataclass(frozen=True)
class DagGradient:
    """What a change of the inputs and of the weights does to a loss."""

    inputs: Floats
    """As the inputs; 0 for a node with edges into it, whose input is not used."""
    weights: Floats
    """(edges,)"""


def topological_levels(g: AbstractGraph, backend: Backend | str | None = None) -> Ints:
    """Return the level (nodes,) int32 of nodes: 0 if no edge enters it, else one more than the highest before it."""
    chosen = resolve(backend)
    _check_directed(g)
    levels = chosen.to_numpy(chosen.graph.topological_levels(*_arrays(chosen, g.indptr, g.indices)))
    if levels.min(initial=0) < 0:
        raise InvalidInputError(f"The graph has a cycle: {_shown(_cycle(g.csr, levels))}; remove one of these edges.")
    return levels


def topological_generations(g: AbstractGraph, backend: Backend | str | None = None) -> list[Ints]:
    """Return the nodes of each level, ascending."""
    offsets, nodes = _by_level(topological_levels(g, backend))
    return np.split(nodes, offsets[1:-1]) if len(nodes) else []


def dag_forward(
    g: AbstractGraph,
    inputs: ArrayLike,
    weights: ArrayLike,
    slope: float = SLOPE,
    backend: Backend | str | None = None,
) -> Floats:
    """Return the value of each node, shaped as ``inputs``, (nodes,) or (nodes, features), float32 or float64.

    A node that no edge enters keeps its input. Any other becomes LeakyReLU of the sum over its edges of ``weights
    (edges,)``, in the order of ``g.edge_list``, times the value that the edge comes from.
    """
    chosen = resolve(backend)
    start, strength = _floats(g, inputs, weights)
    flow = _flow(g, chosen)
    placed = chosen.asarray(strength), chosen.asarray(_columns(start))
    values = chosen.graph.dag_forward(flow.levels, flow.incoming, *placed, _slope(slope))
    return chosen.to_numpy(values).reshape(start.shape)


def dag_gradient(
    g: AbstractGraph,
    values: ArrayLike,
    weights: ArrayLike,
    grad: ArrayLike,
    slope: float = SLOPE,
    backend: Backend | str | None = None,
) -> DagGradient:
    """Pull ``grad``, the gradient of the ``values`` that ``dag_forward`` returned, back to its inputs and weights."""
    chosen = resolve(backend)
    reached, strength = _floats(g, values, weights)
    above = np.ascontiguousarray(grad, reached.dtype)
    if above.shape != reached.shape:
        raise InvalidInputError(f"The gradient must have the shape of the values, {reached.shape}; got {above.shape}.")
    flow = _flow(g, chosen)
    placed = chosen.asarray(strength), chosen.asarray(_columns(reached)), chosen.asarray(_columns(above))
    below, slopes = chosen.graph.dag_grad(flow.levels, flow.outgoing, *placed, flow.inner, _slope(slope))
    return DagGradient(chosen.to_numpy(below).reshape(reached.shape), chosen.to_numpy(slopes))


@dataclass(frozen=True)
class _Flow:
    """A graph as the kernels walk through it, where a backend works."""

    levels: tuple[Array, Array]
    incoming: tuple[Array, Array, Array]
    outgoing: tuple[Array, Array]
    inner: Array


_flows: weakref.WeakKeyDictionary[Csr, dict[str, _Flow]] = weakref.WeakKeyDictionary()
"""What was derived from a graph, by the kind of arrays; graphs do not change."""


def _flow(g: AbstractGraph, backend: Backend) -> _Flow:
    known = _flows.setdefault(g.csr, {})
    if backend.name not in known:
        levels = _by_level(topological_levels(g, backend))
        inner: Bits = np.bincount(g.indices, minlength=g.nodes) > 0
        known[backend.name] = _Flow(
            _arrays(backend, *levels),
            _arrays(backend, *_incoming(g.csr, levels[1])),
            _arrays(backend, g.indptr, g.indices),
            backend.asarray(inner),
        )
    return known[backend.name]


def _arrays(backend: Backend, *arrays: np.ndarray) -> tuple[Array, ...]:
    return tuple(backend.asarray(array) for array in arrays)


def _by_level(levels: Ints) -> tuple[Offsets, Ints]:
    """Return where each level begins (levels + 1,) and the nodes by level, ascending in each."""
    nodes = np.argsort(levels, kind="stable").astype(np.int32)
    return offsets_of(np.bincount(levels)), nodes


def _incoming(graph: Csr, nodes: Ints) -> tuple[Offsets, Ints, Offsets]:
    """Return the arcs into each of ``nodes``: where they begin, where each comes from, and its number."""
    place = np.empty(len(nodes), np.int64)
    place[nodes] = np.arange(len(nodes))
    target = place[graph.indices]
    arcs = np.argsort(target, kind="stable")
    return offsets_of(np.bincount(target, minlength=len(nodes))), graph.sources[arcs], arcs


def _columns(values: Floats) -> Floats:
    return values.reshape(len(values), -1) if values.ndim == 2 else values[:, None]


def _floats(g: AbstractGraph, values: ArrayLike, weights: ArrayLike) -> tuple[Floats, Floats]:
    """Return values (nodes,) or (nodes, features) and weights (edges,), both float32 only if both were."""
    first, second = np.asarray(values), np.asarray(weights)
    kind = np.float32 if first.dtype == second.dtype == np.float32 else np.float64
    if first.ndim not in (1, 2) or len(first) != g.nodes:
        raise InvalidInputError(
            f"The graph has {g.nodes} nodes; values are (nodes,) or (nodes, features), got {first.shape}."
        )
    if second.shape != (g.edges,):
        raise InvalidInputError(
            f"The graph has {g.edges} edges and takes as many weights; got the shape {second.shape}."
        )
    for name, array in (("values", first), ("weights", second)):
        if not np.isfinite(array).all():
            raise InvalidInputError(f"Some {name} are NaN or infinite.")
    return np.ascontiguousarray(first, kind), np.ascontiguousarray(second, kind)


def _slope(slope: float) -> float:
    if not 0 < slope <= 1:
        raise InvalidInputError(f"The slope of LeakyReLU is above 0 and at most 1; got {slope}.")
    return float(slope)


def _check_directed(g: AbstractGraph) -> None:
    if not g.directed and g.edges:
        raise InvalidInputError("An undirected graph has no levels; give each edge a direction with directed=True.")


def _cycle(graph: Csr, levels: Ints) -> list[int]:
    """Return the nodes of a cycle.

    Each node without a level has another before it, so a walk backwards among them must meet itself.
    """
    offsets, arcs = graph.incoming
    node = int(np.flatnonzero(levels < 0)[0])
    met: dict[int, int] = {}
    walk: list[int] = []
    while node not in met:
        met[node] = len(walk)
        walk.append(node)
        before = graph.sources[arcs[offsets[node] : offsets[node + 1]]]
        node = int(before[levels[before] < 0][0])
    loop = walk[met[node] :][::-1]
    smallest = loop.index(min(loop))
    return loop[smallest:] + loop[:smallest]


def _shown(cycle: list[int]) -> str:
    names = [str(node) for node in cycle]
    if len(names) > SHOWN:
        names = [*names[: SHOWN - 1], "...", names[-1]]
    return " -> ".join([*names, str(cycle[0])])
