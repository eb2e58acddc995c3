"""Sections of time: what a made-up clock says of them, and that every family shows the same ones in training."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace

import pytest

import grapheme
from grapheme.cortex import CollaborativeCortexConfig, CollaborativeCortexTrainer, Cortex, Sample
from grapheme.timing import recording, section, side_by_side
from grapheme.training.experiment import experiment

WORDS = ("phone", "photo", "graph", "morph")
SAMPLES = [
    *(Sample(f"{name} = {name} + 1", f"{name} += 1", "code") for name in "xyz"),
    *(Sample(f"{name} + 0", name, "math") for name in "xyz"),
    *(Sample(word, word.replace("ph", "f"), "text") for word in WORDS),
]


@pytest.fixture
def clock(monkeypatch):
    """A clock that goes forward when it is told to."""
    clock = SimpleNamespace(now=0.0)
    monkeypatch.setattr("grapheme.timing.time", SimpleNamespace(perf_counter=lambda: clock.now))
    return clock


def test_a_section_counts_what_no_section_inside_counts(clock):
    with recording() as seconds:
        for _ in range(2):
            with section("outer"):
                clock.now += 1
                with section("inner"):
                    clock.now += 10
                    with section("innermost"):
                        clock.now += 100
                with section("inner"):
                    clock.now += 1000
        clock.now += 10000
    assert seconds == {"outer": 2, "inner": 2020, "innermost": 200}


def test_threads_share_out_the_time_that_went_by(clock):
    with recording() as seconds, section("outer"):
        clock.now += 1
        with side_by_side() as mark:
            # 6 + 2 seconds are marked and 8 more are not: the 16 are shared out by three to one
            for name, spent in (("forward", 2), ("backward", 1), ("forward", 4), ("backward", 1)):
                with mark(name):
                    clock.now += spent
            clock.now += 8
    assert seconds == {"outer": 1, "forward": 12, "backward": 4}


def test_threads_of_a_pool_are_heard():
    def work(mark):
        for name in ("forward", "backward"):
            with mark(name):
                sum(range(1000))

    begun = time.perf_counter()
    with recording() as seconds, side_by_side() as mark, ThreadPoolExecutor(2) as pool:
        list(pool.map(work, [mark] * 8))
    assert seconds.keys() == {"forward", "backward"}
    assert 0 < sum(seconds.values()) <= time.perf_counter() - begun


def test_a_block_without_marks_adds_nothing(clock):
    with recording() as seconds, section("outer"), side_by_side():
        clock.now += 1
    assert seconds == {"outer": 1}


def test_nothing_is_recorded_unless_asked():
    with recording() as seconds:
        pass
    with section("forward"), side_by_side() as mark, mark("backward"):
        pass
    assert seconds == {}


def a_step_of(name):
    def step(backend):
        task = experiment(name)
        task.trainer(0, 0, "float32", backend).train_on(task.batch(0, 0, 0))

    return step


def a_step_of_a_cortex(backend):
    config = CollaborativeCortexConfig(embed_dim=4, hidden_dim=4, batch_size=10)
    CollaborativeCortexTrainer(Cortex.build(SAMPLES, config, seed=1), backend).train_batch(SAMPLES)


def a_step_by_the_structural_loss(backend):
    task = experiment("boolean", {"loss": "structural"})
    task.trainer(0, 0, "float32", backend).train_on(task.batch(0, 0, 0))


@pytest.mark.parametrize(("backend", "threads"), [("numpy", 1), ("numba", 1), ("numba", 2)])
@pytest.mark.parametrize(
    "step",
    [a_step_of("life"), a_step_of("boolean"), a_step_by_the_structural_loss, a_step_of_a_cortex],
    ids=["life", "boolean", "structural", "cortex"],
)
def test_training_shows_the_same_sections_everywhere(step, backend, threads):
    chosen = grapheme.get_backend(backend, threads)
    begun = time.perf_counter()
    with recording() as seconds:
        step(chosen)
    assert seconds.keys() >= {"forward", "loss", "backward", "merge", "update"}
    assert all(spent > 0 for spent in seconds.values())
    assert sum(seconds.values()) <= time.perf_counter() - begun
