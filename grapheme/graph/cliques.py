"""Cliques of k nodes, maximal cliques and their communities; edges count in both directions, loops not at all."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from grapheme.arrays import Ints
from grapheme.backend import Backend
from grapheme.backend.selection import resolve
from grapheme.errors import InvalidInputError
from grapheme.graph.abstract import AbstractGraph
from grapheme.graph.capacity import allowed
from grapheme.graph.probes import estimate, subsets
from grapheme.kernels.csr import Csr, Offsets

MAX_K = 12
TRIANGLE = 3
CHUNK = 1_000_000
BLOCK = 64
"""How many start nodes a listing in chunks counts at first; twice as many when that was too few."""

UNBOUNDED = 2**62
DOUBT = 16
"""An estimate has to exceed what fits so many times before it replaces a count."""


def k_cliques(
    g: AbstractGraph,
    k: int,
    limit: int | None = None,
    backend: Backend | str | None = None,
    *,
    max_k: int = MAX_K,
    memory: int | None = None,
) -> Ints:
    """Return all cliques of ``k`` nodes, or the first ``limit``, as rows (N, k) int32, rows and columns ascending.

    A listing that would take more than ``memory`` bytes, by default what is free, is refused before it begins.
    """
    _check(k, max_k, limit)
    fits = allowed(memory) // (4 * k)
    if limit is not None and limit <= fits:
        return next(_chunks(g, k, max(limit, 1), limit, backend), np.zeros((0, k), np.int32))
    if k < 3:
        return _trivial(g, k)
    search = _Search.of(g, k, resolve(backend))
    return search.rows(0, 0, _counts_that_fit(search, fits))


def iter_k_cliques(
    g: AbstractGraph,
    k: int,
    chunk: int = CHUNK,
    limit: int | None = None,
    backend: Backend | str | None = None,
    *,
    max_k: int = MAX_K,
) -> Iterator[Ints]:
    """Yield the rows of ``k_cliques`` in order, (chunk, k) at a time, the last perhaps fewer."""
    _check(k, max_k, limit)
    if chunk < 1:
        raise InvalidInputError(f"Give at least 1 clique a chunk; got {chunk}.")
    return _chunks(g, k, chunk, limit, backend)


def count_k_cliques(g: AbstractGraph, k: int, backend: Backend | str | None = None, *, max_k: int = MAX_K) -> int:
    """Return how many cliques of ``k`` nodes there are, without listing them."""
    _check(k, max_k, None)
    if k < 3:
        return len(_trivial(g, k))
    chosen = resolve(backend)
    # For a number alone the order is free: the fewer nodes come after each, the less there is to search.
    search = _Search.of(g, k, chosen, by_core=True)
    return int(search.counts(0, search.starts, UNBOUNDED).sum())


def maximal_cliques(g: AbstractGraph, backend: Backend | str | None = None, *, memory: int | None = None) -> list[Ints]:
    """Return the cliques that no node can be added to, each an ascending array, in ascending order."""
    chosen, graph = resolve(backend), g.csr.simple
    indptr, indices = chosen.asarray(graph.indptr), chosen.asarray(graph.indices)
    order = _by_core(graph, chosen.to_numpy(chosen.graph.core_numbers(indptr, indices)))
    fits = allowed(memory) // 8
    found = chosen.graph.maximal_cliques(indptr, indices, chosen.asarray(order), fits)
    if found is None:
        raise InvalidInputError(
            f"The maximal cliques have more than {fits:,} members in all, which does not fit in memory."
        )
    offsets, members = (chosen.to_numpy(array) for array in found)
    return _ascending(offsets, members)


def k_clique_communities(g: AbstractGraph, k: int, backend: Backend | str | None = None) -> list[Ints]:
    """Return the unions of k-cliques reached from one another by changing a node at a time, in ascending order.

    Two maximal cliques belong together when they share k - 1 nodes (Palla et al. 2005); a node may be in several
    communities.
    """
    from scipy import sparse

    if k < 2:
        raise InvalidInputError(f"A community is made of cliques of 2 or more nodes; got k = {k}.")
    cliques = [clique for clique in maximal_cliques(g, backend) if len(clique) >= k]
    if not cliques:
        return []
    offsets = np.cumsum([0, *map(len, cliques)])
    members = np.concatenate(cliques)
    holds = sparse.csr_array((np.ones(len(members), np.int32), members, offsets), shape=(len(cliques), g.nodes))
    count, group = sparse.csgraph.connected_components(holds @ holds.T >= k - 1, directed=False)
    unions = [np.unique(np.concatenate([cliques[i] for i in np.flatnonzero(group == c)])) for c in range(count)]
    return sorted(unions, key=lambda nodes: nodes.tolist())


@dataclass(frozen=True)
class _Search:
    """The (k-1)-core of a graph, which holds every k-clique, with arcs to later nodes only, where a backend works."""

    backend: Backend
    k: int
    most: float
    """No more cliques are possible: in a good order, at most its core number of neighbours come after a node."""
    names: Ints
    indptr: Offsets
    indices: Ints

    @classmethod
    def of(cls, g: AbstractGraph, k: int, backend: Backend, by_core: bool = False) -> _Search:
        graph = g.csr.simple
        arrays = backend.asarray(graph.indptr), backend.asarray(graph.indices)
        cores = np.diff(graph.indptr)
        if by_core or k > TRIANGLE or cores.min(initial=0) < k - 1:
            # Degrees bound what is possible too, but well enough only for triangles.
            cores = backend.to_numpy(backend.graph.core_numbers(*arrays))
        order = _by_core(graph, cores) if by_core else np.arange(graph.nodes, dtype=np.int32)
        order = backend.asarray(order[cores[order] >= k - 1])
        most = float(subsets(cores, k - 1).sum())
        return cls(backend, k, most, order, *backend.graph.orient(*arrays, order))

    @property
    def starts(self) -> int:
        return len(self.indptr) - 1

    def counts(self, first: int, last: int, cap: int) -> Offsets:
        """Return how many cliques begin with each node, none above ``cap``."""
        kernel = self.backend.graph.count_cliques
        return self.backend.to_numpy(kernel(self.indptr, self.indices, self.k, first, last, cap))

    def rows(self, first: int, skip: int, wanted: Offsets) -> Ints:
        """Return the first ``wanted[i]`` cliques of node ``first + i``, of node ``first`` after ``skip`` others."""
        kernel, wanted = self.backend.graph.list_cliques, self.backend.asarray(wanted)
        return self.backend.to_numpy(kernel(self.indptr, self.indices, self.names, self.k, first, skip, wanted))


def _check(k: int, max_k: int, limit: int | None) -> None:
    if not isinstance(k, (int, np.integer)) or k < 1:
        raise InvalidInputError(f"A clique has 1 or more nodes; got k = {k}.")
    if k > max_k:
        raise InvalidInputError(
            f"Cliques of {k} nodes may be too many to ever finish; set max_k={k} if you mean it (it is {max_k} now)."
        )
    if limit is not None and limit < 0:
        raise InvalidInputError(f"The limit is 0 or more cliques; got {limit}.")


def _trivial(g: AbstractGraph, k: int) -> Ints:
    """Return the cliques of one node or of two."""
    if k == 1:
        return np.arange(g.nodes, dtype=np.int32)[:, None]
    return g.csr.simple.edge_list.copy()


def _by_core(graph: Csr, cores: Ints) -> Ints:
    """Return the nodes by core number, then by degree, so that few neighbours of a node come after it."""
    return np.lexsort((np.diff(graph.indptr), cores)).astype(np.int32)


def _counts_that_fit(search: _Search, fits: int) -> Offsets:
    """Return the number of cliques of each start node, or refuse if they are more than ``fits``."""
    if search.most > fits:
        about = estimate(search.backend.to_numpy(search.indptr), search.backend.to_numpy(search.indices), search.k)
        if about > DOUBT * fits:
            raise _too_many(f"about {about:.1e}", search.k, fits)
    counts = search.counts(0, search.starts, fits + 1)
    total = int(counts.sum())
    if total > fits:
        raise _too_many(f"at least {total:,}", search.k, fits)
    return counts


def _too_many(count: str, k: int, fits: int) -> InvalidInputError:
    return InvalidInputError(
        f"The graph has {count} cliques of {k} nodes, and {fits:,} fit in memory: "
        f"set a limit, or take them from iter_k_cliques."
    )


def _chunks(g: AbstractGraph, k: int, chunk: int, limit: int | None, backend: Backend | str | None) -> Iterator[Ints]:
    """Yield rows in order, ``chunk`` at a time; start nodes are counted as many as it takes to fill a chunk."""
    left = UNBOUNDED if limit is None else limit
    if k < 3:
        rows = _trivial(g, k)[:left]
        yield from (rows[i : i + chunk] for i in range(0, len(rows), chunk))
        return
    search, cursor = _Search.of(g, k, resolve(backend)), _Cursor()
    parts: list[Ints] = []
    room = min(chunk, left)
    while room and cursor.start < search.starts:
        parts.append(cursor.take(search, room))
        room -= len(parts[-1])
        if room == 0:
            yield np.concatenate(parts)
            left -= min(chunk, left)
            room, parts = min(chunk, left), []
    if sum(map(len, parts)):
        yield np.concatenate(parts)


@dataclass
class _Cursor:
    """How far a listing has come: to the start node ``start``, of which ``skip`` cliques have been listed."""

    start: int = 0
    skip: int = 0
    block: int = BLOCK

    def take(self, search: _Search, room: int) -> Ints:
        """Return at most ``room`` of the next cliques and move on past them."""
        first, skip = self.start, self.skip
        cap = skip + room
        counts = search.counts(first, min(first + self.block, search.starts), cap)
        counts[0] -= skip
        ends = np.cumsum(counts)
        if ends[-1] < room:
            # Fewer than there is room for: all are taken, and none of the counts was cut at the cap.
            self.start, self.skip, self.block = first + len(counts), 0, 2 * self.block
            return search.rows(first, skip, counts)
        last = int(np.searchsorted(ends, room))
        counts = counts[: last + 1]
        counts[last] -= ends[last] - room
        self.start, self.skip, self.block = first + last, int(counts[last]) + (skip if last == 0 else 0), BLOCK
        return search.rows(first, skip, counts)


def _ascending(offsets: Offsets, members: Ints) -> list[Ints]:
    """Return the slices of ``members`` in ascending order."""
    sizes = np.diff(offsets)
    if not len(sizes):
        return []
    padded = np.full((len(sizes), sizes.max()), -1, np.int32)
    padded[np.arange(sizes.max()) < sizes[:, None]] = members
    order = np.lexsort(padded.T[::-1])
    return [members[offsets[i] : offsets[i + 1]] for i in order.tolist()]
