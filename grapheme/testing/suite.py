"""The conformance suite as pytest tests; a plugin's test file subclasses it.

from grapheme.testing.suite import ConformanceSuite

class TestMine(ConformanceSuite):
    backend = "mine"
"""

from __future__ import annotations

import pytest

from grapheme.backend import Backend
from grapheme.backend.selection import resolve
from grapheme.testing.case import Case
from grapheme.testing.conformance import all_cases


class ConformanceSuite:
    """Every equivalence test against the oracle, for the backend that a subclass names."""

    backend: Backend | str

    @pytest.mark.parametrize("case", all_cases(), ids=lambda case: f"{case.kernel} {case.name}")
    def test_kernel(self, case: Case) -> None:
        """Hold one call of one kernel against the oracle."""
        backend = resolve(self.backend)
        if case.group not in backend.groups:
            pytest.skip(f"the backend '{backend.name}' has no kernels of the group {case.group}")
        outcome = case.check(backend)
        assert outcome.problem is None, f"{case.kernel}, {case.name}: {outcome.problem}"
