from __future__ import annotations

import pytest
from hypothesis import settings

import grapheme
from grapheme.backend.parallelism import cores

settings.register_profile("grapheme", deadline=None, derandomize=True, max_examples=40)
settings.load_profile("grapheme")

THREADS = [1, 2] if cores() > 1 else [1]


@pytest.fixture(scope="session")
def oracle() -> grapheme.Backend:
    return grapheme.get_backend("numpy")


@pytest.fixture(scope="session", params=THREADS, ids=lambda n: f"{n}-threads")
def numba(request: pytest.FixtureRequest) -> grapheme.Backend:
    return grapheme.get_backend("numba", threads=request.param)
