"""Compare the listing of k-cliques with igraph and networkx on one thread, and one thread with two; prints a table.

Run it as ``python asv_bench/compare_cliques.py`` where igraph and networkx are installed. Every figure is the best of
several runs, and the three programs take turns, so that a busy machine disturbs all of them alike.
"""

from __future__ import annotations

import argparse
import itertools
import time
from collections.abc import Callable
from functools import partial

import igraph
import networkx as nx

import grapheme
from grapheme.backend.parallelism import cores
from grapheme.graph import Graph, k_cliques

CASES = [
    ("barabasi_albert(5000, 20)", lambda: nx.barabasi_albert_graph(5000, 20, seed=1), (3, 4, 5, 6), 5.0),
    ("gnp(100, .5)", lambda: nx.gnp_random_graph(100, 0.5, seed=1), (4, 5), 5.0),
    ("gnp(100, .7)", lambda: nx.gnp_random_graph(100, 0.7, seed=1), (4, 5), 5.0),
    ("gnp(2000, .02)", lambda: nx.gnp_random_graph(2000, 0.02, seed=1), (3, 4), 1.0),
    ("gnp(2000, .05)", lambda: nx.gnp_random_graph(2000, 0.05, seed=1), (3, 4), 1.0),
]
NETWORKX_BAR = 50.0
THREADS_BAR = 1.6


def best(runs: int, *functions: Callable[[], object]) -> list[float]:
    """Return the shortest time of each function, in seconds."""
    times = [float("inf")] * len(functions)
    for _ in range(runs):
        for i, function in enumerate(functions):
            begin = time.perf_counter()
            function()
            times[i] = min(times[i], time.perf_counter() - begin)
    return times


def networkx_cliques(graph: nx.Graph, k: int) -> list[list[int]]:
    """Return the cliques of k nodes as networkx gives them: all smaller ones come first."""
    sized = itertools.takewhile(lambda clique: len(clique) <= k, nx.enumerate_all_cliques(graph))
    return [clique for clique in sized if len(clique) == k]


def verdict(value: float, bar: float) -> str:
    return "ok" if value >= bar else f"below {bar:g}"


def compare_programs(runs: int, slow_runs: int) -> None:
    one = grapheme.get_backend("numba", threads=1)
    print(
        f"{'graph':26} k {'cliques':>8} {'ours ms':>8} {'igraph':>8} {'times':>6}  {'':9} {'networkx':>9} {'times':>6}"
    )
    for name, make, sizes, bar in CASES:
        theirs = make()
        other = igraph.Graph(n=len(theirs), edges=list(theirs.edges()))
        ours = Graph.from_networkx(theirs)
        for k in sizes:
            rows = k_cliques(ours, k, backend=one)
            assert rows.tolist() == sorted(sorted(clique) for clique in other.cliques(k, k))
            mine, igraphs = best(runs, partial(k_cliques, ours, k, backend=one), partial(other.cliques, k, k))
            (slow,) = best(slow_runs, partial(networkx_cliques, theirs, k)) if slow_runs else (float("nan"),)
            print(
                f"{name:26} {k} {len(rows):8} {mine * 1e3:8.2f} {igraphs * 1e3:8.1f} {igraphs / mine:6.1f}  "
                f"{verdict(igraphs / mine, bar):9} {slow * 1e3:9.0f} {slow / mine:6.0f}  "
                f"{verdict(slow / mine, NETWORKX_BAR)}",
                flush=True,
            )


def compare_threads(runs: int) -> None:
    graph = Graph.from_networkx(nx.gnp_random_graph(300, 0.5, seed=1))
    one, two = (grapheme.get_backend("numba", threads=threads) for threads in (1, 2))
    alone, both = best(runs, lambda: k_cliques(graph, 6, backend=one), lambda: k_cliques(graph, 6, backend=two))
    print(
        f"gnp(300, .5), k = 6: one thread {alone * 1e3:.0f} ms, two {both * 1e3:.0f} ms, "
        f"{alone / both:.2f} times, {verdict(alone / both, THREADS_BAR)}"
    )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=7)
    parser.add_argument("--networkx-runs", type=int, default=1, help="0 leaves networkx out; it takes most of the time")
    given = parser.parse_args()
    compare_programs(given.runs, given.networkx_runs)
    if cores() > 1:
        compare_threads(given.runs)
