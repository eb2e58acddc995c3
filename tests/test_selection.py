from __future__ import annotations

import numpy as np
import pytest
from grapheme_numpy import batch

import grapheme
from grapheme.backend import Backend, BackendSpec
from grapheme.backend import parallelism as parallel
from grapheme.errors import (
    BackendError,
    BackendUnavailableError,
    InvalidInputError,
    KernelNotProvidedError,
    UnknownBackendError,
)
from grapheme.kernels import CONTRACT, GROUPS
from grapheme.options import Option
from grapheme.plugins import registry
from grapheme.testing import assert_close, grid_problem


def spec(name, reason=None, contract=CONTRACT, options=(), probe=None, **groups):
    return BackendSpec(
        name=name,
        summary="a test",
        contract=contract,
        probe=probe or (lambda options: reason),
        load=lambda threads, options: Backend(name, threads=threads, device=str(dict(options)), **groups),
        install=f"pip install {name}",
        options=options,
    )


@pytest.fixture
def installed(monkeypatch):
    """Pretend that exactly these backends are installed, as (plugin, record)."""

    def install(*pairs):
        class Found:
            found = ()

            def collect(self, hook, kind):
                return iter(pairs)

        monkeypatch.setattr(registry, "plugins", Found)

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
    with pytest.raises(UnknownBackendError, match=r"no backend 'nunba'; there are .*numba.*Did you mean 'numba'\?"):
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
    installed(("a", spec("poor")), ("b", spec("rich", batch=batch)), ("c", spec("off", "It is off.", batch=batch)))
    poor = grapheme.get_backend("poor")
    assert poor.groups == ()
    with pytest.raises(KernelNotProvidedError, match=r"'poor' has no kernel batch\.rollout, .*provide it: rich\."):
        poor.batch.rollout(None, None, None, 1, "zero", None)
    with pytest.raises(AttributeError, match="roll_out"):
        poor.batch.roll_out  # noqa: B018 - a name that no kernel has is a mistake in a program


@pytest.mark.parametrize(("contract", "who"), [(CONTRACT - 1, "an older grapheme"), (CONTRACT + 1, "a newer grapheme")])
def test_a_backend_of_another_contract_is_refused_in_a_sentence(installed, contract, who):
    installed(("a", spec("other", contract=contract)))
    with pytest.raises(
        BackendUnavailableError, match=f"'other' cannot run here: it follows contract {contract}.*{who}"
    ):
        grapheme.get_backend("other")


def test_a_probe_that_raises_is_a_reason_and_not_an_end(installed):
    def probe(options):
        raise OSError("no driver")

    installed(("a", spec("numba", probe=probe)), ("b", spec("numpy")))
    assert grapheme.get_backend().name == "numpy"
    with pytest.raises(BackendUnavailableError, match="its probe failed with OSError: no driver"):
        grapheme.get_backend("numba")


WORKERS = Option(name="workers", kind=int, least=1, default=2, help="how many", variable="GRAPHEME_TEST_WORKERS")


def test_options_of_a_backend_come_from_its_record(installed, monkeypatch):
    installed(("a", spec("many", options=(WORKERS,))))
    assert grapheme.get_backend("many").device == "{'workers': 2}"
    assert grapheme.get_backend("many", options={"workers": 5}).device == "{'workers': 5}"
    monkeypatch.setenv("GRAPHEME_TEST_WORKERS", "3")
    assert grapheme.get_backend("many").device == "{'workers': 3}"
    with pytest.raises(InvalidInputError, match=r"--workers is at least 1; got 0\."):
        grapheme.get_backend("many", options={"workers": 0})
    with pytest.raises(InvalidInputError, match=r"no option 'worker' of the backend 'many'; .*Did you mean 'workers'"):
        grapheme.get_backend("many", options={"worker": 1})
    monkeypatch.setenv("GRAPHEME_TEST_WORKERS", "some")
    with pytest.raises(InvalidInputError, match="--workers is a whole number; got 'some'"):
        grapheme.get_backend("many")


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

    steps_only = Backend("steps", cell=cell)
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


def test_the_shipped_backends_that_run_here_have_every_group():
    for name in ("numpy", "numba"):
        assert grapheme.get_backend(name).groups == tuple(GROUPS)
