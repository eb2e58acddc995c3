"""Networks on rows of features: products with matrices, their gradients by groups, and sums of chosen rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import cupy
import numpy as np

from grapheme.arrays import Array
from grapheme.kernels.csr import Offsets
from grapheme.kernels.graph_arrays import GROUP
from grapheme_cupy.launch import BLOCK_OF_THREADS, BLOCK_OF_WARPS, blocks_of_threads, blocks_of_warps
from grapheme_cupy.sources import kernel

TILE = 32
"""Rows and columns of a product that one thread block computes."""

NULL = np.uint64(0)
"""A pointer to nothing; CuPy has no other way to pass one."""


@dataclass(frozen=True, eq=False)
class Segments:
    """Which rows are summed up, and where each sum goes, as arrays of the device."""

    rows: Array
    starts: Array
    targets: Array
    scales: Any = NULL

    @classmethod
    def of(cls, targets: np.ndarray, rows: np.ndarray, scales: np.ndarray | None = None) -> Segments:
        """Return a segment for each target, the place of a number, that occurs; its rows in the order given."""
        order = np.argsort(targets, kind="stable")
        places, starts = np.unique(targets[order], return_index=True)
        return cls(
            cupy.asarray(rows[order].astype(np.int32)),
            cupy.asarray(np.append(starts, len(order)).astype(np.int64)),
            cupy.asarray(places.astype(np.int64)),
            NULL if scales is None else cupy.asarray(scales[order]),
        )

    @classmethod
    def stretches(cls, offsets: Offsets, width: int) -> Segments:
        """Return a segment for each stretch of rows; sum i goes to row i."""
        count = len(offsets) - 1
        return cls(
            cupy.arange(int(offsets[-1]), dtype=np.int32),
            cupy.asarray(offsets.astype(np.int64)),
            cupy.asarray(np.arange(count, dtype=np.int64) * width),
        )


def group_starts(offsets: Offsets) -> Offsets:
    """Return where each group of examples begins in an array with these offsets, and where the last one ends."""
    return np.append(offsets[:-1:GROUP], offsets[-1]).astype(np.int64)


def product(
    x: Array,
    matrix: Array,
    shape: tuple[int, int],
    *,
    rows: Array | None = None,
    transposed: bool = False,
    bias: Array | None = None,
    out: Array | None = None,
    out_rows: Array | None = None,
    adds: bool = False,
) -> Array:
    """Return x (n, inner) times a matrix of ``shape`` (inner, outer), plus a bias; ``transposed`` if it is kept so.

    ``rows`` names rows of x, ``out_rows`` those of ``out`` that they become, or are added to.
    """
    inner, outer = shape
    count = x.size // inner if rows is None else rows.shape[0]
    result = cupy.empty((count, outer), x.dtype) if out is None else out
    if count and outer:
        kernel("rows.cu", "rows_product", x.dtype)(
            (-(-count // TILE), -(-outer // TILE)), BLOCK_OF_WARPS,
            (x, _or_null(rows), matrix, np.int32(transposed), _or_null(bias), result, _or_null(out_rows),
             np.int64(count), np.int32(inner), np.int32(outer), np.int32(adds)),
        )  # fmt: skip
    return result


def add_outer(
    x: Array | None,
    d: Array,
    shape: tuple[int, int],
    starts: Array,
    parts: Array,
    offset: int,
    *,
    x_rows: Array | None = None,
    d_rows: Array | None = None,
) -> None:
    """Add to every group's part, at ``offset``, the products (inner, outer) of x and d, summed over its rows.

    Without x, that is the sum of d.
    """
    inner, outer = shape
    groups = starts.shape[0] - 1
    if groups and inner and outer:
        kernel("rows.cu", "rows_outer", d.dtype)(
            (groups, -(-inner // TILE), -(-outer // TILE)), BLOCK_OF_WARPS,
            (_or_null(x), _or_null(x_rows), d, _or_null(d_rows), starts, parts, np.int64(parts.shape[1]),
             np.int64(offset), np.int32(inner), np.int32(outer)),
        )  # fmt: skip


def gather(x: Array, segments: Segments, width: int, out: Array, adds: bool = False) -> Array:
    """Return ``out`` with the sum of each segment's rows of x (n, width) at its target, or added to what is there."""
    count = segments.targets.shape[0]
    if count:
        kernel("rows.cu", "rows_gather", x.dtype)(
            (blocks_of_threads(count * width),), BLOCK_OF_THREADS,
            (x, segments.rows, segments.scales, segments.starts, segments.targets, out, np.int64(count),
             np.int32(width), np.int32(adds)),
        )  # fmt: skip
    return out


def by_warps(name: str, rows: int, dtype: np.dtype[Any], *arguments: Any) -> None:
    """Launch a kernel in which a warp takes a row."""
    if rows:
        kernel("rows.cu", name, dtype)((blocks_of_warps(rows),), BLOCK_OF_WARPS, arguments)


def by_threads(name: str, rows: int, dtype: np.dtype[Any], *arguments: Any) -> None:
    """Launch a kernel in which a thread takes a row."""
    if rows:
        kernel("rows.cu", name, dtype)((blocks_of_threads(rows),), BLOCK_OF_THREADS, arguments)


def active(sums: Array, slope: float) -> Array:
    """Return LeakyReLU of an array."""
    return cupy.where(sums > 0, sums, sums.dtype.type(slope) * sums)


def through_active(sums: Array, grad: Array, slope: float) -> Array:
    """Return the gradient of ``sums``, given that of their LeakyReLU."""
    return cupy.where(sums > 0, grad, sums.dtype.type(slope) * grad)


def on_device(numbers: np.ndarray) -> Array:
    """Return row numbers as an array of the device."""
    return cupy.asarray(np.ascontiguousarray(numbers, np.int32))


def _or_null(array: Array | None) -> Any:
    return NULL if array is None else array
