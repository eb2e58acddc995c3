"""The same bits on any number of threads, with and without sample parallelism, and with any chunking."""

from __future__ import annotations

import numpy as np
import pytest

import grapheme
from grapheme.backend.parallelism import Parallelism, cores
from grapheme.ca import DiffLogicCA, Trainer
from grapheme.testing import assert_same_bits

WAYS = [
    Parallelism(threads=threads, parallel_batch=parallel, samples_at_once=samples, memory=memory)
    for threads in ([1, 2] if cores() > 1 else [1])
    for parallel, samples, memory in [
        (True, None, 2**30),
        (False, None, 2**30),
        (True, 3, 2**30),
        (True, None, 1),
        (True, 100, 50_000),
    ]
]


def train(backend_name, parallelism, shape, asynchronous, boundary):
    """Five steps; returns everything that a step shows and the logits at the end."""
    rng = np.random.default_rng(0)
    batch, channels, height, width = shape
    model = DiffLogicCA.build(
        channels, 3, [8, 4, 2], [12 * channels, 8 * channels, 4 * channels, 2 * channels, channels], boundary, seed=5
    )
    model.set_parameters(rng.normal(size=model.to_host().shape).astype(np.float32), grapheme.get_backend("numpy"))
    trainer = Trainer(model, loss_channels=[0], backend=grapheme.get_backend(backend_name, parallelism=parallelism))
    seen = []
    for _ in range(5):
        x, y = rng.random(shape).round(), rng.random(shape).round()
        fire = rng.random((4, batch, height, width)) < 0.6 if asynchronous else None
        result = trainer.step(x, y, 4, fire)
        seen += [result.soft_loss, result.hard_loss]
    return np.array(seen), model.to_host()


SHAPES = [(7, 1, 3, 3), (5, 2, 14, 14), (2, 1, 1, 7), (40, 1, 3, 3), (9, 1, 1, 1)]


@pytest.mark.parametrize(
    ("backend", "shape"), [*(("numba", shape) for shape in SHAPES), ("numpy", (5, 1, 3, 3)), ("numpy", (2, 1, 1, 7))]
)
@pytest.mark.parametrize(("asynchronous", "boundary"), [(False, "zero"), (True, "periodic")])
def test_training_gives_the_same_bits_however_it_is_spread(backend, shape, asynchronous, boundary):
    ways = WAYS if backend == "numba" else WAYS[:3]  # the oracle knows no threads
    losses, logits = train(backend, ways[0], shape, asynchronous, boundary)
    for way in ways[1:]:
        other_losses, other_logits = train(backend, way, shape, asynchronous, boundary)
        assert_same_bits(other_losses, losses, f"losses with {way}")
        assert_same_bits(other_logits, logits, f"logits with {way}")


def test_the_chunks_really_differ():
    """The ways above cut the batch differently, so the test above compares something."""
    whole = Parallelism()
    assert whole.chunk(40, 1000, 32) == 40
    assert Parallelism(parallel_batch=False).chunk(40, 1000, 32) == 32
    assert Parallelism(samples_at_once=3).chunk(40, 1000, 1) == 3
    assert Parallelism(memory=5000).chunk(40, 1000, 1) == 5
    assert Parallelism(memory=1).chunk(40, 1000, 8) == 8


def test_a_large_grid_is_cut_into_parts_of_many_blocks():
    """More than one block a part, so that the sums of a part run over several blocks."""
    rng = np.random.default_rng(1)
    model = DiffLogicCA.build(1, 2, [8, 4, 2, 1], [2, 1], "periodic", seed=2)
    x, y = rng.random((2, 1, 100, 90)).round(), rng.random((2, 1, 100, 90)).round()
    ways = [Parallelism(threads=1), Parallelism(threads=min(2, cores())), Parallelism(threads=1, parallel_batch=False)]
    grads = [model.loss_and_grad(x, y, 2, backend=grapheme.get_backend("numba", parallelism=way)).grad for way in ways]
    assert_same_bits(grads[1], grads[0], "threads")
    assert_same_bits(grads[2], grads[0], "chunks")
    oracle = model.loss_and_grad(x, y, 2, backend="numpy").grad
    np.testing.assert_allclose(grads[0], oracle, rtol=1e-3, atol=1e-3 * np.abs(oracle).max())
