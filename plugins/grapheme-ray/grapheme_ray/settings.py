"""What a user can choose: declared once, for the command line, the environment and Python alike."""

from __future__ import annotations

from dataclasses import dataclass

from grapheme.options import Option

OPTIONS = (
    Option(
        name="inner",
        default="numba",
        variable="GRAPHEME_RAY_INNER",
        help="the backend that every worker runs.",
    ),
    Option(
        name="workers",
        kind=int,
        least=1,
        variable="GRAPHEME_RAY_WORKERS",
        help="how many workers.  [default: one for each thread, or processor of a cluster]",
    ),
    Option(
        name="address",
        variable="GRAPHEME_RAY_ADDRESS",
        help="host:port of a cluster; without it, Ray runs on this machine alone.",
    ),
    Option(
        name="worker_threads",
        kind=int,
        least=1,
        variable="GRAPHEME_RAY_WORKER_THREADS",
        help="threads of a worker.  [default: threads / workers; 1 on a cluster]",
    ),
    Option(
        name="merge",
        choices=("exact", "shards"),
        default="exact",
        variable="GRAPHEME_RAY_MERGE",
        help="what workers send; 'shards' is less, and has other last bits.",
    ),
)


@dataclass(frozen=True)
class Settings:
    """How work is spread, a field for each of ``OPTIONS``; only ``merge`` can change the last bits of a result."""

    inner: str
    """The backend that every worker runs."""
    workers: int | None
    """How many; None is one for each thread here, or for each free processor of a cluster."""
    address: str | None
    """``host:port`` of a cluster, or ``auto`` for the one that this machine belongs to; None starts Ray here."""
    worker_threads: int | None
    """Threads of a worker; None shares the threads out here, and is 1 on a cluster."""
    merge: str
    """``exact``: the bits of the inner backend alone. ``shards``: every worker adds up its own samples first."""

    def describe(self, threads: int) -> str:
        """Return where the work is done, for people."""
        if self.address is not None:
            return f"{self.inner} on {self.workers or 'all'} workers at {self.address}"
        return f"{self.inner} on {self.workers or threads} workers here"
