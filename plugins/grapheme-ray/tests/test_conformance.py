"""Every kernel of the backend against the oracle, on two workers."""

import grapheme_ray

from grapheme.testing.suite import ConformanceSuite


class TestOnNumba(ConformanceSuite):
    backend = grapheme_ray.backend(grapheme_ray.Settings(inner="numba", workers=2), threads=2)


class TestOnNumpy(ConformanceSuite):
    backend = grapheme_ray.backend(grapheme_ray.Settings(inner="numpy", workers=2), threads=2)
