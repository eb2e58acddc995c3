"""The conformance suite: every kernel of a backend, case by case, against the oracle."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator

from grapheme.backend import Backend
from grapheme.testing import batch, cell, cortex, graph
from grapheme.testing.case import Case, Outcome

CASES: dict[str, Callable[[], Iterator[Case]]] = {
    "cell": cell.cases,
    "batch": batch.cases,
    "graph": graph.cases,
    "cortex": cortex.cases,
}
"""The cases of each kernel group."""


@functools.cache
def all_cases() -> tuple[Case, ...]:
    """Return the cases of every group."""
    return tuple(case for cases in CASES.values() for case in cases())


def cases_for(backend: Backend) -> Iterator[Case]:
    """Yield the cases of the kernel groups that ``backend`` has, composed kernels among them."""
    return (case for case in all_cases() if case.group in backend.groups)


def conform(
    backend: Backend, on_outcome: Callable[[Outcome], None] = lambda outcome: None, only: str | None = None
) -> list[Outcome]:
    """Run every case of the kernel groups that ``backend`` has, or those of one kernel, named "group.function"."""
    outcomes = []
    for case in (case for case in cases_for(backend) if only in (None, case.kernel)):
        outcomes.append(case.check(backend))
        on_outcome(outcomes[-1])
    return outcomes
