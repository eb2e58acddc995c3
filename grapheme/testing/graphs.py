"""Small graphs of every kind that kernels treat differently: none, one node, no edges, complete, sparse, dense."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from grapheme.arrays import Bits, Floats, Ints
from grapheme.backend.selection import get_backend
from grapheme.kernels.csr import Csr, Offsets, rows_of


def undirected_graphs() -> Iterator[tuple[str, Csr]]:
    """Yield named graphs without loops."""
    yield "no node", _undirected(0, [])
    yield "one node", _undirected(1, [])
    yield "no edge", _undirected(5, [])
    yield "one edge", _undirected(2, [(0, 1)])
    yield "star", _undirected(7, [(3, v) for v in range(7) if v != 3])
    yield "bipartite", _undirected(6, itertools.product(range(3), range(3, 6)))
    yield "complete", _undirected(9, itertools.combinations(range(9), 2))
    yield "sparse", _random(0, 40, 0.12)
    yield "dense", _random(1, 22, 0.6)
    yield "hub", _with_hub(_random(2, 80, 0.12), 5)


def orientation(graph: Csr) -> tuple[Offsets, Ints]:
    """Return a graph's arcs to later nodes."""
    arcs = graph.edge_list
    return rows_of(arcs[arcs[:, 0] < arcs[:, 1]], graph.nodes)


def directed_graphs() -> Iterator[tuple[str, Csr]]:
    """Yield named graphs, all but the last two without a cycle."""
    yield "no node", _directed(0, [])
    yield "one node", _directed(1, [])
    yield "no arc", _directed(6, [])
    yield "chain", _directed(9, [(v + 1, v) for v in range(8)])
    yield "many into one", _directed(72, [(v, 71) for v in range(71)])
    yield "one into many", _directed(72, [(3, v) for v in range(72) if v != 3])
    yield "sparse dag", _random_dag(3, 50, 0.08)
    yield "dense dag", _random_dag(4, 20, 0.5)
    yield "cycle", _directed(8, [(0, 1), (1, 2), (2, 3), (3, 1), (3, 4), (5, 4), (5, 6)])
    yield "loop", _directed(4, [(0, 1), (1, 1), (1, 2), (0, 3)])


@dataclass(frozen=True)
class DagProblem:
    """Arguments for the passes through a graph without cycles."""

    levels: tuple[Offsets, Ints]
    incoming: tuple[Offsets, Ints, Offsets]
    outgoing: tuple[Offsets, Ints]
    inner: Bits
    weights: Floats
    inputs: Floats
    values: Floats
    grad: Floats
    slope: float


def dag_problems() -> Iterator[tuple[str, DagProblem]]:
    """Yield a named problem for every graph without cycles, the dtypes and numbers of features in turn."""
    acyclic = [entry for entry in directed_graphs() if entry[0] not in ("cycle", "loop")]
    for (i, (name, graph)), (j, features) in itertools.product(enumerate(acyclic), enumerate((1, 3, 40))):
        dtype = ("float32", "float64")[(i + j) % 2]
        yield f"{name} {features} {dtype}", dag_problem(10 * i + j, graph, features, dtype)


def dag_problem(seed: int, graph: Csr, features: int, dtype: str) -> DagProblem:
    """Return random inputs, weights and gradients for a graph, and the values by the oracle."""
    rng = np.random.default_rng(seed)
    oracle = get_backend("numpy")
    level = oracle.graph.topological_levels(graph.indptr, graph.indices)
    nodes = np.argsort(level, kind="stable").astype(np.int32)
    starts = np.concatenate([[0], np.cumsum(np.bincount(level))]).astype(np.int64)
    offsets, arcs = graph.incoming
    rows = [arcs[offsets[node] : offsets[node + 1]] for node in nodes]
    order = np.concatenate([np.zeros(0, np.int64), *rows])
    ends = np.cumsum([0, *map(len, rows)]).astype(np.int64)
    incoming = (ends, graph.sources[order], order)
    weights = rng.normal(0, 0.5, len(graph.indices)).astype(dtype)
    inputs = rng.standard_normal((graph.nodes, features)).astype(dtype)
    slope = 0.25
    return DagProblem(
        levels=(starts, nodes),
        incoming=incoming,
        outgoing=(graph.indptr, graph.indices),
        inner=np.diff(offsets) > 0,
        weights=weights,
        inputs=inputs,
        values=oracle.graph.dag_forward((starts, nodes), incoming, weights, inputs, slope),
        grad=rng.standard_normal((graph.nodes, features)).astype(dtype),
        slope=slope,
    )


def _undirected(nodes: int, edges: Iterable[tuple[int, int]]) -> Csr:
    pairs = np.array(list(edges), np.int64).reshape(-1, 2)
    return Csr(*rows_of(np.concatenate([pairs, pairs[:, ::-1]]), nodes), directed=False)


def _directed(nodes: int, arcs: Iterable[tuple[int, int]]) -> Csr:
    return Csr(*rows_of(np.array(list(arcs), np.int64).reshape(-1, 2), nodes), directed=True)


def _random(seed: int, nodes: int, density: float) -> Csr:
    rng = np.random.default_rng(seed)
    return _undirected(nodes, [pair for pair in itertools.combinations(range(nodes), 2) if rng.random() < density])


def _random_dag(seed: int, nodes: int, density: float) -> Csr:
    """Return arcs that all agree with some order of the nodes, which is not that of their numbers."""
    rng = np.random.default_rng(seed)
    order = rng.permutation(nodes)
    pairs = [pair for pair in itertools.combinations(range(nodes), 2) if rng.random() < density]
    return _directed(nodes, [(order[a], order[b]) for a, b in pairs])


def _with_hub(graph: Csr, hub: int) -> Csr:
    """Join one node to all others."""
    edges = [*map(tuple, graph.edge_list.tolist()), *((hub, v) for v in range(graph.nodes) if v != hub)]
    return _undirected(graph.nodes, edges)
