"""The conformance suite on a real card; everything else in this folder runs without one."""

from __future__ import annotations

import pytest
from grapheme_cupy.availability import probe

import grapheme
from grapheme.testing import assert_same_bits, cases_for
from grapheme.testing.suite import ConformanceSuite

pytestmark = pytest.mark.gpu


@pytest.fixture(scope="module", autouse=True)
def card(request):
    if request.config.getoption("markexpr") != "gpu":
        pytest.skip("needs a graphics card, and a process without the stand-in for CuPy: pytest -m gpu")
    reason = probe()
    if reason is not None:
        pytest.skip(reason)


class TestOnGpu(ConformanceSuite):
    backend = "cupy"


def test_ten_runs_give_the_same_bits():
    backend = grapheme.get_backend("cupy")
    for case in cases_for(backend):
        first = case.run(backend)
        for _ in range(9):
            again = case.run(backend)
            for name, expected in first.items():
                assert_same_bits(again[name], expected, f"{case.kernel} {case.name}: {name}")
