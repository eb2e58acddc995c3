"""k-cliques: a warp for each arc of the start nodes, counted first, so that each has its place before any is listed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import cupy
import numpy as np

from grapheme.arrays import Array
from grapheme_cupy.device import WORKSPACE
from grapheme_cupy.launch import BLOCK_OF_WARPS, WARPS, blocks_of_warps
from grapheme_cupy.sources import kernel

ARCS = WORKSPACE // 32
"""About how many arcs are worked on at once; what is kept for each takes up to 32 bytes."""


def count_cliques(indptr: Array, indices: Array, k: int, first: int, last: int, cap: int) -> Array:
    """Count the cliques of each arc and add up those of each start node."""
    counts = cupy.zeros(last - first, np.int64)
    caps = cupy.full(last - first, cap, np.int64)
    for chunk in _chunks(indptr, indices, k, first, last):
        ends = cupy.cumsum(chunk.counts(k, caps[chunk.nodes(first)]))
        ends = cupy.concatenate([cupy.zeros(1, np.int64), ends])[indptr[chunk.first : chunk.last + 1] - chunk.arc]
        counts[chunk.nodes(first)] = cupy.minimum(ends[1:] - ends[:-1], cap)
    return counts


def list_cliques(indptr: Array, indices: Array, names: Array, k: int, first: int, skip: int, wanted: Array) -> Array:
    """Count the cliques of each arc, and list them from the row on where those before them end."""
    if not wanted.shape[0]:
        return cupy.zeros((0, k), np.int32)
    ends = cupy.cumsum(wanted)
    starts = ends - wanted
    starts[0] -= skip  # the cliques to pass over get rows below 0, which are not written
    rows = cupy.empty((int(ends[-1]), k), np.int32)
    if rows.shape[0]:
        for chunk in _chunks(indptr, indices, k, first, first + wanted.shape[0]):
            own = chunk.nodes(first)
            chunk.list(k, starts[own], ends[own], names, rows)
    return rows


@dataclass(frozen=True, eq=False)
class _Chunk:
    """The arcs of start nodes ``first`` to ``last - 1``, from ``arc`` on, and how many members each has."""

    indptr: Array
    indices: Array
    first: int
    last: int
    arc: int
    sizes: Array
    most: int

    def nodes(self, first: int) -> slice:
        """Return the chunk's start nodes counted from ``first``."""
        return slice(self.first - first, self.last - first)

    def counts(self, k: int, caps: Array) -> Array:
        """Return the cliques (arcs,) int64 of each arc, none above the cap of its start node."""
        if k == 3:
            return self.sizes.astype(np.int64)
        counts, (grid, work) = cupy.empty(self.sizes.shape[0], np.int64), self._work(k)
        kernel("cliques.cu", "cliques_count")(
            grid, BLOCK_OF_WARPS, (*self._graph(), np.int32(k), np.int32(self.most), caps, work, counts)
        )
        return counts

    def list(self, k: int, starts: Array, ends: Array, names: Array, rows: Array) -> None:
        """Write the cliques of each start node to the rows ``starts`` to ``ends - 1``, those that are not below 0."""
        counts = self.counts(k, ends - starts)
        before, (grid, work) = cupy.cumsum(counts) - counts, self._work(k)
        kernel("cliques.cu", "cliques_list")(
            grid, BLOCK_OF_WARPS,
            (*self._graph(), np.int32(k), np.int32(self.most), before, starts, ends, names, work, rows),
        )  # fmt: skip

    def _graph(self) -> tuple[Array, ...]:
        return _arcs(self.indptr, self.first, self.arc, self.sizes.shape[0]), self.indptr, self.indices, self.sizes

    def _work(self, k: int) -> tuple[tuple[int], Array]:
        """Return a grid and the memory (warps, words) that its warps work on: the struct ``Work`` of cliques.cu."""
        words = self.most + k + (self.most + k) * -(-self.most // 32)
        blocks = blocks_of_warps(self.sizes.shape[0], 4 * words)
        return (blocks,), cupy.empty((blocks * WARPS, words), np.uint32)


def _chunks(indptr: Array, indices: Array, k: int, first: int, last: int) -> Iterator[_Chunk]:
    """Yield the arcs of start nodes, some ``ARCS`` at a time, leaving out those that cannot hold a clique."""
    ends = cupy.asnumpy(indptr[first : last + 1])
    node = 0
    while node < last - first:
        following = max(node + 1, int(np.searchsorted(ends, ends[node] + ARCS, side="right")) - 1)
        arcs = int(ends[following] - ends[node])
        if arcs:
            sizes = cupy.empty(arcs, np.int32)
            begin, arc = first + node, int(ends[node])
            kernel("cliques.cu", "cliques_common")(
                (blocks_of_warps(arcs),), BLOCK_OF_WARPS, (_arcs(indptr, begin, arc, arcs), indptr, indices, sizes)
            )
            most = int(sizes.max())
            if most >= k - 2:
                yield _Chunk(indptr, indices, begin, first + following, arc, sizes, most)
        node = following


def _arcs(indptr: Array, first: int, arc: int, arcs: int) -> Array:
    """Return the struct ``Arcs`` of cliques.cu."""
    return cupy.asarray(np.array([indptr.shape[0] - 1, first, arc, arcs], np.int64))
