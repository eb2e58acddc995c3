"""Every kernel of the backend against the oracle, on two workers."""

import grapheme
from grapheme.testing.suite import ConformanceSuite


class TestOnNumba(ConformanceSuite):
    backend = grapheme.get_backend("ray", options={"inner": "numba", "workers": 2})


class TestOnNumpy(ConformanceSuite):
    backend = grapheme.get_backend("ray", options={"inner": "numpy", "workers": 2})
