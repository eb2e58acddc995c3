"""How a batch is cut over workers."""

from __future__ import annotations


def cut(items: int, workers: int, granularity: int = 1) -> list[slice]:
    """Return slices of ``items``, in order and about equally long, at most one a worker.

    They begin at multiples of ``granularity``, where no partial sum is cut in two.
    """
    pieces = max(1, -(-items // granularity))
    count = min(workers, pieces)
    ends = [min(items, granularity * (pieces * (i + 1) // count)) for i in range(count)]
    return [slice(begin, end) for begin, end in zip([0, *ends], ends, strict=False)]
