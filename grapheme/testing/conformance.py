"""The conformance suite: every kernel of a backend, case by case, against the oracle."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator

from grapheme.backend import Backend
from grapheme.testing import batch, cell, cortex, fusion
from grapheme.testing.case import Case, Outcome


def _cortex() -> Iterator[Case]:
    yield from cortex.cases()
    yield from fusion.cases()


CASES: dict[str, Callable[[], Iterator[Case]]] = {"cell": cell.cases, "batch": batch.cases, "cortex": _cortex}
"""The cases of each kernel group."""


@functools.cache
def all_cases() -> tuple[Case, ...]:
    """Return the cases of every group."""
    return tuple(case for cases in CASES.values() for case in cases())


def conform(backend: Backend, on_outcome: Callable[[Outcome], None] = lambda outcome: None) -> list[Outcome]:
    """Run every case of the kernels that ``backend`` itself provides."""
    outcomes = []
    for case in all_cases():
        if backend.provides(case.kernel):
            outcomes.append(case.check(backend))
            on_outcome(outcomes[-1])
    return outcomes
