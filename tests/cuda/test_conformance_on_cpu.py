"""The unmodified CUDA sources and host code on the CPU: the oracle's results, in any order of threads, no races."""

from __future__ import annotations

from operator import attrgetter

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sanitized import run_sanitized

import grapheme
from grapheme.kernels import GROUPS, kernel_names
from grapheme.testing import Case, all_cases, assert_close, assert_same_bits, grid_problem
from grapheme.testing.cell import gradients
from grapheme.testing.problems import states_of
from grapheme.testing.suite import ConformanceSuite

CASES = pytest.mark.parametrize("case", all_cases(), ids=lambda case: f"{case.kernel} {case.name}")

pytestmark = pytest.mark.usefixtures("stand_in")


def providing(case):
    """The backend, unless it leaves the case's kernel out."""
    backend = grapheme.get_backend("cupy")
    composed = attrgetter(case.kernel)(backend)
    if getattr(composed, "__module__", "").startswith("grapheme.backend.compositions"):
        pytest.skip(f"the backend leaves {case.kernel} to the core, which composes it of kernels that are tested here")
    return backend


class TestOnCpu(ConformanceSuite):
    backend = "cupy"


@CASES
def test_every_order_of_threads_gives_the_same_bits(case, settings):
    backend = providing(case)
    results = []
    for order in ("forward", "reversed", "shuffled"):
        settings(order=order)
        results.append(case.run(backend))
    for other in results[1:]:
        for name, expected in results[0].items():
            assert_same_bits(other[name], expected, name)


@CASES
def test_no_races(case, settings):
    settings(mode="races")  # in which a race raises
    actual = case.run(providing(case))
    for name, expected in case.expected.items():
        assert_close(actual[name], expected, name)


def test_no_access_out_of_bounds():
    code = """
import grapheme
from grapheme.testing import cases_for
backend = grapheme.get_backend("cupy")
for case in cases_for(backend):
    if not case.kernel.startswith("cell."):  # those are roll-outs of one step
        case.run(backend)
print("all cases have run")
"""
    done = run_sanitized(code)
    assert done.returncode == 0, done.stderr[-3000:]
    assert done.stdout.strip() == "all cases have run"


def test_the_backend_provides_what_it_says():
    """One that provides nothing would pass everything above."""
    backend = grapheme.get_backend("cupy")
    assert backend.groups == tuple(GROUPS)
    every = {f"{group}.{name}" for group, protocol in GROUPS.items() for name in kernel_names(protocol)}
    composed = {name for name in every if "compositions" in attrgetter(name)(backend).__module__}
    of_brains = {f"cortex.{name}_brains" for name in ("encode", "decode")}
    assert composed == {
        "batch.loss_and_grad",
        "batch.hard_errors",
        "cortex.learn",
        "cortex.encode_brains_grad",
        *of_brains,
    }


@given(
    p=st.builds(
        grid_problem,
        seed=st.integers(0, 2**32),
        shape=st.tuples(st.integers(1, 5), st.integers(1, 3), st.integers(1, 9), st.integers(1, 9)),
        gates=st.integers(1, 60),
        steps=st.integers(1, 4),
        boundary=st.sampled_from(["periodic", "zero"]),
        asynchronous=st.booleans(),
        dtype=st.sampled_from(["float32", "float64"]),
    )
)
def test_circuits_and_grids_that_hypothesis_chooses(p):
    back = (p.netlist, p.coefficients, states_of(p), p.grad_states, p.boundary, p.fire)
    bits = (p.netlist, p.codes, p.bits, p.steps, p.boundary, p.fire)
    for case in (
        Case("batch.rollout_grad", "", back, gradients),
        Case("batch.hard_rollout", "", bits, lambda bits: {"bits": bits}),
    ):
        assert case.check(grapheme.get_backend("cupy")).problem is None


@pytest.mark.parametrize(
    "shape",
    [(1, 1, 100, 90), (2, 1, 95, 97), (950, 1, 3, 3)],
    ids=["runs of two blocks", "parts of one sample, blocks cut short", "two parts of many samples"],
)
def test_batches_of_several_parts(shape):
    backend, oracle = grapheme.get_backend("cupy"), grapheme.get_backend("numpy")
    p = grid_problem(3, shape, gates=12, steps=2, asynchronous=True, dtype="float32")
    results = []
    for b in (backend, oracle):
        placed = [b.asarray(a) for a in (p.coefficients, p.grids, p.grad_states, p.fire)]
        states = b.batch.rollout(p.netlist, placed[0], placed[1], p.steps, p.boundary, placed[3])
        grad, parts = b.batch.rollout_grad(p.netlist, placed[0], states, placed[2], p.boundary, placed[3])
        results.append([b.to_numpy(array) for array in (states, grad, parts)])
    (states, grad, parts), (states_0, grad_0, parts_0) = results
    assert_close(states, states_0, "states")
    assert_close(grad, grad_0, "gradient of the start")
    assert_close(parts.sum(0), parts_0.sum(0), "gradient of the coefficients")
    assert len(parts) == -(-shape[0] // backend.batch.granularity(*shape[2:]))
