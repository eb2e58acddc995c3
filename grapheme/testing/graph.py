"""Cases for the kernels of the group ``graph``."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import numpy as np

from grapheme.backend.selection import get_backend
from grapheme.kernels import GraphKernels
from grapheme.kernels.csr import Csr
from grapheme.testing import edits
from grapheme.testing.case import Case, Named, named
from grapheme.testing.graphs import dag_problems, directed_graphs, orientation, undirected_graphs

MANY = 2**62
"""A cap that no number of cliques reaches."""


def cases() -> Iterator[Case]:
    """Yield every case, smallest graphs first."""
    for seed, (name, graph) in enumerate(undirected_graphs()):
        yield from _degeneracy(name, graph, np.random.default_rng(seed))
        yield from _cliques(name, graph, np.random.default_rng(seed))
        yield from _maximal(name, graph)
    for name, graph in directed_graphs():
        yield Case(GraphKernels.topological_levels, name, (graph.indptr, graph.indices), named("levels"))
    for name, p in dag_problems():
        forward = (p.levels, p.incoming, p.weights, p.inputs, p.slope)
        yield Case(GraphKernels.dag_forward, name, forward, named("values"))
        back = (p.levels, p.outgoing, p.weights, p.values, p.grad, p.inner, p.slope)
        yield Case(GraphKernels.dag_grad, name, back, named("gradient of the inputs", "gradient of the weights"))
    yield from edits.cases()


def _degeneracy(name: str, graph: Csr, rng: np.random.Generator) -> Iterator[Case]:
    arrays = graph.indptr, graph.indices
    yield Case(GraphKernels.core_numbers, name, arrays, named("core numbers"))
    ascending = np.arange(graph.nodes, dtype=np.int32)
    orders = {
        "ascending": ascending,
        "reversed": np.ascontiguousarray(ascending[::-1]),
        "some": rng.permutation(ascending)[: graph.nodes * 2 // 3],
    }
    for order, nodes in orders.items():
        yield Case(GraphKernels.orient, f"{name}, {order}", (*arrays, nodes), named("offsets", "targets"))


def _cliques(name: str, graph: Csr, rng: np.random.Generator) -> Iterator[Case]:
    """Yield cases with all start nodes, and with some of them, none, a cap and cliques to pass over."""
    arrays, nodes = orientation(graph), graph.nodes
    counts = {k: get_backend("numpy").graph.count_cliques(*arrays, k, 0, nodes, MANY) for k in (3, 4, 5)}
    names = (np.arange(nodes) * 3 + 7).astype(np.int32)
    first, last = nodes // 3, max(nodes // 3, nodes - 1)
    for k, full in counts.items():
        yield Case(GraphKernels.count_cliques, f"{name}, k={k}", (*arrays, k, 0, nodes, MANY), named("counts"))
        yield Case(GraphKernels.list_cliques, f"{name}, k={k}", (*arrays, names, k, 0, 0, full), named("cliques"))
    yield Case(GraphKernels.count_cliques, f"{name}, some, at most 2", (*arrays, 3, first, last, 2), named("counts"))
    some = counts[3][first:last]
    skip = int(some[0]) // 2 if len(some) else 0
    wanted = rng.integers(0, some + 1)
    wanted[:1] = some[:1] - skip
    yield Case(GraphKernels.list_cliques, f"{name}, some", (*arrays, names, 3, first, skip, wanted), named("cliques"))


def _maximal(name: str, graph: Csr) -> Iterator[Case]:
    by_degree = np.argsort(np.diff(graph.indptr), kind="stable").astype(np.int32)
    for order, cap in ((by_degree, MANY), (np.ascontiguousarray(by_degree[::-1]), graph.nodes)):
        limit = "" if cap == MANY else f", at most {cap} members"
        yield Case(
            GraphKernels.maximal_cliques, f"{name}{limit}", (graph.indptr, graph.indices, order, cap), _unordered
        )


def _unordered(offsets: np.ndarray | None, members: np.ndarray | None = None) -> Named:
    """Name maximal cliques, in ascending order, for theirs is free; None says that they are too many."""
    if offsets is None or members is None:
        return {"whether they fit": np.array([False])}
    ends = offsets.astype(np.int64)
    cliques = sorted(members[begin:end].tolist() for begin, end in itertools.pairwise(ends))
    return {
        "whether they fit": np.array([True]),
        "members": np.array([node for clique in cliques for node in clique], members.dtype),
        "sizes": np.array([len(clique) for clique in cliques], offsets.dtype),
        "first and last offset": offsets[[0, -1]],
    }
