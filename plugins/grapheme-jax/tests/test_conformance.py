"""Every kernel of the backend against the oracle."""

from grapheme.testing.suite import ConformanceSuite


class TestJax(ConformanceSuite):
    backend = "jax"
