from __future__ import annotations

import numpy as np
import pytest

import grapheme
from grapheme.backend import Backend, BackendSpec, selection
from grapheme.backend import parallelism as parallel
from grapheme.errors import (
    BackendError,
    BackendUnavailableError,
    InvalidInputError,
    KernelNotProvidedError,
    UnknownBackendError,
)
from grapheme.testing import assert_close, grid_problem


def spec(name, reason=None, groups=None):
    return BackendSpec(
        name, "a test", lambda: reason, lambda threads: Backend(name, groups or {}, threads), f"pip install {name}"
    )


@pytest.fixture
def installed(monkeypatch):
    """Pretend that exactly these backends are installed, as (plugin, record)."""

    def install(*pairs):
        class Found:
            def collect(self, hook):
                return iter(pairs)

        monkeypatch.setattr(selection, "plugins", Found)

    return install


def test_the_shipped_backends_are_listed():
    names = [s.name for s in grapheme.list_backends()]
    assert {"numpy", "numba"} <= set(names)
    assert names == sorted(names)


def test_auto_takes_numba_then_numpy_and_never_a_stranger(installed):
    installed(("a", spec("alien")), ("b", spec("numpy")), ("c", spec("numba")))
    assert grapheme.get_backend().name == "numba"
    installed(("a", spec("alien")), ("b", spec("numpy")), ("c", spec("numba", "no threads here.")))
    assert grapheme.get_backend().name == "numpy"
    installed(("a", spec("alien")))
    with pytest.raises(UnknownBackendError, match="None of the backends numba, numpy can run here"):
        grapheme.get_backend()


def test_argument_beats_use_beats_environment(monkeypatch):
    monkeypatch.setenv("GRAPHEME_BACKEND", "numpy")
    assert grapheme.get_backend().name == "numpy"
    with grapheme.use("numba", threads=1) as chosen:
        assert grapheme.get_backend() is chosen
        assert grapheme.get_backend("numpy").name == "numpy"
        with grapheme.use("numpy"):
            assert grapheme.get_backend().name == "numpy"
        assert grapheme.get_backend() is chosen
    assert grapheme.get_backend().name == "numpy"


def test_an_unknown_backend_lists_what_there_is_and_suggests_the_nearest():
    with pytest.raises(UnknownBackendError, match=r"no backend 'nunba'; installed are .*numba.*Did you mean 'numba'\?"):
        grapheme.get_backend("nunba")


def test_a_backend_that_cannot_run_gives_its_reason_and_the_cure(installed):
    installed(("a", spec("gpu", "There is no driver.")))
    with pytest.raises(
        BackendUnavailableError, match=r"'gpu' cannot run here: There is no driver\. Try: pip install gpu"
    ):
        grapheme.get_backend("gpu")


def test_two_plugins_with_one_backend_are_both_named(installed):
    installed(("first", spec("same")), ("second", spec("same")))
    with pytest.raises(BackendError, match="'same': 'first' and 'second'"):
        grapheme.list_backends()


def test_a_missing_kernel_names_who_provides_it(installed):
    installed(
        ("a", spec("poor")), ("b", BackendSpec("rich", "", lambda: None, lambda n: Backend("rich", {}), "", ("batch",)))
    )
    with pytest.raises(KernelNotProvidedError, match=r"'poor' has no kernel batch\.rollout.*provide it: rich"):
        grapheme.get_backend("poor").batch.rollout


@pytest.mark.parametrize("threads", [0, -1, 10_000])
def test_impossible_threads_are_refused(threads):
    with pytest.raises(InvalidInputError, match=f"1 to {parallel.cores()} threads; got {threads}"):
        grapheme.get_backend("numpy", threads=threads)


def test_threads_from_the_environment(monkeypatch):
    monkeypatch.setenv("GRAPHEME_THREADS", "1")
    assert grapheme.get_backend("numba").threads == 1
    monkeypatch.setenv("GRAPHEME_THREADS", "many")
    with pytest.raises(InvalidInputError, match="GRAPHEME_THREADS to a whole number; it is 'many'"):
        grapheme.get_backend("numba")


@pytest.mark.parametrize("asynchronous", [False, True], ids=["sync", "async"])
def test_roll_outs_are_composed_of_steps(oracle, asynchronous):
    """A backend that has only steps runs whole roll-outs, to the oracle's numbers."""
    from grapheme_numpy import cell

    steps_only = Backend("steps", {"cell": cell})
    p = grid_problem(1, asynchronous=asynchronous)
    states = [
        b.batch.rollout(p.netlist, p.coefficients, p.grids, p.steps, p.boundary, p.fire) for b in (steps_only, oracle)
    ]
    grads = [
        b.batch.rollout_grad(p.netlist, p.coefficients, states[1], p.grad_states, p.boundary, p.fire)
        for b in (steps_only, oracle)
    ]
    bits = [b.batch.hard_rollout(p.netlist, p.codes, p.bits, p.steps, p.boundary, p.fire) for b in (steps_only, oracle)]
    assert_close(states[0], states[1], "states")
    assert_close(grads[0][0], grads[1][0], "gradient of the start")
    assert_close(grads[0][1], grads[1][1], "gradient of the coefficients")
    np.testing.assert_array_equal(bits[0], bits[1])
    assert steps_only.batch.granularity(3, 3) == 1


def test_declared_kernel_groups_are_there():
    for backend_spec in grapheme.list_backends():
        if backend_spec.probe() is None:
            assert set(backend_spec.groups) == set(backend_spec.load(1).groups)
