"""Compare exact edit distances with networkx, and one thread with two; prints a table.

Run it as ``python asv_bench/compare_edit_distance.py`` where networkx is installed. Every figure of ours is the best of
several runs of a pair; networkx runs once a pair, for it takes up to seconds.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import networkx as nx
import numpy as np

import grapheme
from grapheme.backend.parallelism import cores
from grapheme.graph import Graph, edit_distance, edit_distances

RUNS = 5


def best(function: Callable[[], object], runs: int = RUNS) -> float:
    """Return the shortest time in seconds."""
    times = []
    for _ in range(runs):
        begin = time.perf_counter()
        function()
        times.append(time.perf_counter() - begin)
    return min(times)


def pairs(nodes: int, p: float, count: int) -> list[tuple[nx.Graph, nx.Graph]]:
    seeds = range(count)
    return [(nx.gnp_random_graph(nodes, p, seed=s), nx.gnp_random_graph(nodes, p, seed=10_000 + s)) for s in seeds]


def ours(cases: list[tuple[nx.Graph, nx.Graph]], backend: grapheme.Backend) -> np.ndarray:
    graphs = [(Graph.from_networkx(g), Graph.from_networkx(h)) for g, h in cases]
    return np.array([best(lambda g=g, h=h: edit_distance(g, h, backend=backend)) for g, h in graphs])


def main() -> None:
    one = grapheme.get_backend("numba", threads=1)
    edit_distances([Graph.from_edges([(0, 1)]), Graph.from_edges([(0, 1), (1, 2)])], backend=one)
    cases = pairs(8, 0.3, 20)
    mine = ours(cases, one)
    theirs = np.array([best(lambda g=g, h=h: nx.graph_edit_distance(g, h), 1) for g, h in cases])
    print(f"8 nodes, p=.3: median {np.median(mine) * 1e3:.2f} ms, networkx {np.median(theirs) * 1e3:.0f} ms")
    ratio, in_sum = np.median(theirs / mine), theirs.sum() / mine.sum()
    print(f"  times faster: {ratio:.0f} in the median, {in_sum:.0f} in sum (bar 500)")
    for nodes, bar in ((12, 15), (14, 200), (16, None)):
        times = ours(pairs(nodes, 0.2, 40), one) * 1e3
        print(f"{nodes} nodes, p=.2: median {np.median(times):.2f} ms, worst {times.max():.1f} ms (bar {bar} ms)")
    graphs = [Graph.from_networkx(nx.gnp_random_graph(8, 0.3, seed=s)) for s in range(200)]
    for threads in range(1, min(cores(), 2) + 1):
        backend = grapheme.get_backend("numba", threads=threads)
        seconds = best(lambda backend=backend: edit_distances(graphs, backend=backend), 3)
        print(f"matrix of 200 graphs with 8 nodes, {threads} threads: {seconds:.2f} s")


if __name__ == "__main__":
    main()
