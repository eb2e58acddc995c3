"""Exact edit distances of random graphs, their bounds, matrices of them, and the memory that ranks by them."""

from __future__ import annotations

import asyncio
import tempfile

from grapheme.graph import Graph, GraphMemory, edit_distance, edit_distances

from .backends import BACKENDS, THREADS, backend_or_skip
from .graphs import random_graph


def random_graphs(nodes: int, share: float, count: int) -> list[Graph]:
    return [random_graph(nodes, share, seed) for seed in range(count)]


class Exact:
    """Ten pairs proved one after another."""

    params = (BACKENDS, THREADS, [(8, 0.3), (12, 0.2), (14, 0.2)])
    param_names = ("backend", "threads", "size")
    timeout = 300

    def setup(self, backend, threads, size):
        self.backend = backend_or_skip(backend, threads)
        if backend == "numpy":
            raise NotImplementedError  # the oracle tries every mapping
        graphs = random_graphs(*size, 20)
        self.pairs = list(zip(graphs[:10], graphs[10:], strict=True))
        self.time_pairs(backend, threads, size)

    def time_pairs(self, backend, threads, size):
        for g, h in self.pairs:
            edit_distance(g, h, backend=self.backend)


class Bounds:
    """The interval without a search, of one pair of large graphs."""

    params = (BACKENDS, [1], [50, 200])
    param_names = ("backend", "threads", "nodes")
    timeout = 300

    def setup(self, backend, threads, nodes):
        self.backend = backend_or_skip(backend, threads)
        self.pair = random_graphs(nodes, 0.1, 2)
        self.time_bounds(backend, threads, nodes)

    def time_bounds(self, backend, threads, nodes):
        edit_distance(*self.pair, timeout=0, backend=self.backend)


class Matrix:
    """All pairs of 200 graphs with 8 nodes."""

    params = (["numba"], THREADS)
    param_names = ("backend", "threads")
    timeout = 300

    def setup(self, backend, threads):
        self.backend = backend_or_skip(backend, threads)
        self.graphs = random_graphs(8, 0.3, 200)
        edit_distances(self.graphs[:5], backend=self.backend)

    def time_matrix(self, backend, threads):
        edit_distances(self.graphs, backend=self.backend)


class Memory:
    """A thousand graphs stored, and the five most similar to each of a hundred recalled."""

    params = (["numba"], [1])
    param_names = ("backend", "threads")
    timeout = 300

    def setup(self, backend, threads):
        self.backend = backend_or_skip(backend, threads)
        self.graphs = random_graphs(10, 0.3, 1000)
        self.time_store_and_recall(backend, threads)

    def time_store_and_recall(self, backend, threads):
        with tempfile.TemporaryDirectory() as folder:
            asyncio.run(self._store_and_recall(f"{folder}/graphs.db"))

    async def _store_and_recall(self, path):
        async with GraphMemory(path, self.backend) as memory:
            await asyncio.gather(*(memory.store(g) for g in self.graphs))
            await asyncio.gather(*(memory.recall(g, 5) for g in self.graphs[:100]))
