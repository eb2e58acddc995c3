"""Speed of the graph kernels: cliques and directed acyclic graphs."""

from __future__ import annotations

import numpy as np

import grapheme
from grapheme.errors import GraphemeError
from grapheme.graph import (
    Graph,
    count_k_cliques,
    dag_forward,
    dag_gradient,
    k_cliques,
    maximal_cliques,
    topological_levels,
)

BACKENDS = ["numba"]  # the oracle is never optimised, and takes minutes here
THREADS = [1, 2]


def random_graph(nodes: int, share: float, seed: int = 0) -> Graph:
    rng = np.random.default_rng(seed)
    return Graph.from_edges(np.argwhere(np.triu(rng.random((nodes, nodes)) < share, 1)), nodes)


def random_dag(nodes: int, edges: int, reach: int) -> Graph:
    """Return edges to one of the next ``reach`` nodes."""
    rng = np.random.default_rng(0)
    start = rng.integers(0, nodes, edges)
    pairs = np.stack([start, np.minimum(nodes - 1, start + 1 + rng.integers(0, reach, edges))], axis=1)
    return Graph.from_edges(pairs[pairs[:, 0] < pairs[:, 1]], nodes, directed=True)


def usable(name: str, threads: int) -> grapheme.Backend:
    """Return a backend, or tell asv that it cannot run here."""
    try:
        return grapheme.get_backend(name, threads=threads)
    except GraphemeError as error:
        raise NotImplementedError(str(error)) from error


class Cliques:
    """Random graphs, dense and sparse."""

    params = (BACKENDS, THREADS, ["100 .7", "2000 .05", "300 .5"], [3, 4, 5])
    param_names = ("backend", "threads", "graph", "k")

    def setup(self, backend: str, threads: int, graph: str, k: int) -> None:
        self.backend = usable(backend, threads)
        nodes, share = graph.split()
        self.graph = random_graph(int(nodes), float(share))
        k_cliques(self.graph, k, backend=self.backend)
        count_k_cliques(self.graph, k, backend=self.backend)

    def time_list(self, backend: str, threads: int, graph: str, k: int) -> None:
        k_cliques(self.graph, k, backend=self.backend)

    def time_count(self, backend: str, threads: int, graph: str, k: int) -> None:
        count_k_cliques(self.graph, k, backend=self.backend)


class MaximalCliques:
    """Cliques that no node can be added to."""

    params = (BACKENDS, THREADS, ["100 .5", "2000 .02"])
    param_names = ("backend", "threads", "graph")

    def setup(self, backend: str, threads: int, graph: str) -> None:
        self.backend = usable(backend, threads)
        nodes, share = graph.split()
        self.graph = random_graph(int(nodes), float(share))
        maximal_cliques(self.graph, self.backend)

    def time_list(self, backend: str, threads: int, graph: str) -> None:
        maximal_cliques(self.graph, self.backend)


class Dag:
    """100,000 nodes and 500,000 edges in about 600 levels, or in about 30."""

    params = (BACKENDS, THREADS, ["float32", "float64"], [2000, 100_000])
    param_names = ("backend", "threads", "dtype", "reach")

    def setup(self, backend: str, threads: int, dtype: str, reach: int) -> None:
        self.backend = usable(backend, threads)
        self.graph = random_dag(100_000, 500_000, reach)
        rng = np.random.default_rng(1)
        self.inputs = rng.standard_normal(self.graph.nodes).astype(dtype)
        self.weights = (0.3 * rng.standard_normal(self.graph.edges)).astype(dtype)
        self.grad = np.ones_like(self.inputs)
        self.time_levels(backend, threads, dtype, reach)
        self.time_forward_and_backward(backend, threads, dtype, reach)

    def time_levels(self, backend: str, threads: int, dtype: str, reach: int) -> None:
        topological_levels(self.graph, self.backend)

    def time_forward(self, backend: str, threads: int, dtype: str, reach: int) -> None:
        dag_forward(self.graph, self.inputs, self.weights, backend=self.backend)

    def time_forward_and_backward(self, backend: str, threads: int, dtype: str, reach: int) -> None:
        values = dag_forward(self.graph, self.inputs, self.weights, backend=self.backend)
        dag_gradient(self.graph, values, self.weights, self.grad, backend=self.backend)
