"""Two workers give the bits of the inner backend alone; the cutting, by hand."""

from __future__ import annotations

import os
import signal
import sys
from collections import deque
from dataclasses import fields

import numpy as np
import psutil
import pytest
from grapheme_ray import tasks
from grapheme_ray.parcel import LARGE, Parcel, opened, packed
from grapheme_ray.settings import Settings
from grapheme_ray.shards import cut
from grapheme_ray.team import PATIENCE, Call, Team, team
from grapheme_ray.worker import KEPT
from ray.cloudpickle import register_pickle_by_value

import grapheme
from grapheme.backend.parallelism import Parallelism, thread_count
from grapheme.ca import DiffLogicCA, Trainer
from grapheme.errors import BackendError, InvalidInputError, KernelNotProvidedError
from grapheme.graph import EditCosts, Graph, edit_distances
from grapheme.graph.edit_codes import encode
from grapheme.kernels.edits import EditProblem, EditSearch
from grapheme.testing import assert_same_bits, grid_problem
from grapheme.testing.problems import trial_problem

register_pickle_by_value(sys.modules[__name__])  # workers cannot import a test file

INNER = ["numpy", "numba"]
NUMBA = Settings("numba", 2, None, None, "exact")


def on_workers(inner, merge="exact", parallelism=None):
    return grapheme.get_backend("ray", parallelism=parallelism, options={"inner": inner, "workers": 2, "merge": merge})


@pytest.mark.parametrize(
    ("items", "workers", "granularity", "slices"),
    [
        (5, 2, 1, [(0, 2), (2, 5)]),
        (6, 2, 4, [(0, 4), (4, 6)]),
        (1, 3, 1, [(0, 1)]),
        (4, 2, 8, [(0, 4)]),
        (0, 2, 1, [(0, 0)]),
        (7, 3, 1, [(0, 2), (2, 4), (4, 7)]),
    ],
)
def test_a_batch_is_cut_where_no_sum_is_cut(items, workers, granularity, slices):
    assert [(s.start, s.stop) for s in cut(items, workers, granularity)] == slices


@pytest.mark.parametrize("inner", INNER)
@pytest.mark.parametrize("asynchronous", [False, True], ids=["sync", "async"])
@pytest.mark.parametrize("parallelism", [None, Parallelism(samples_at_once=4)], ids=["whole", "chunks"])
def test_training_gives_the_bits_of_the_inner_backend(inner, asynchronous, parallelism):
    seen = []
    for backend in (grapheme.get_backend(inner), on_workers(inner, parallelism=parallelism)):
        model = DiffLogicCA.build(2, 3, [8, 4, 2], [12, 6, 3, 2], "zero", seed=1)
        trainer = Trainer(model, loss_channels=[0], backend=backend)
        rng = np.random.default_rng(0)
        losses = []
        for _ in range(3):
            x, y = rng.integers(0, 2, (2, 7, 2, 4, 4))
            fire = rng.random((3, 7, 4, 4)) < 0.6 if asynchronous else None
            losses.append(trainer.step(x, y, 3, fire))
        seen.append((losses, model.to_host(), model.rollout(x, 4, backend=backend)))
    assert seen[0][0] == seen[1][0]
    assert_same_bits(seen[1][1], seen[0][1], "logits")
    assert_same_bits(seen[1][2], seen[0][2], "roll-out")


def problem_of_six(dtype="float32"):
    return grid_problem(3, (6, 2, 8, 8), gates=60, boundary="zero", asynchronous=True, dtype=dtype)


def arguments(p, some=slice(None)):
    return p.netlist, p.coefficients, p.grids[some], p.target[some], p.counted, p.steps, p.boundary, p.fire[:, some]


@pytest.mark.parametrize("inner", INNER)
def test_workers_that_merge_give_the_bits_of_the_inner_backend_on_the_same_shards(inner):
    p, alone = problem_of_six(), grapheme.get_backend(inner).batch.loss_and_grad
    _, loss, sums = on_workers(inner, "shards").batch.loss_and_grad(*arguments(p))
    assert sums.shape == (2, *p.coefficients.shape)
    for shard, total in zip((slice(0, 3), slice(3, 6)), sums, strict=True):
        _, expected, parts = alone(*arguments(p, shard))
        by_hand = np.zeros_like(p.coefficients)
        for part in parts:
            by_hand = by_hand + part
        assert_same_bits(total, by_hand, "sum of a shard")
        assert_same_bits(loss[shard], expected, "loss")


@pytest.mark.parametrize("least", [1, 10**8], ids=["cut", "too small to cut"])
def test_hard_roll_outs_are_the_same_bits(monkeypatch, least):
    monkeypatch.setattr("grapheme_ray.batch.HARD_WORK", least)
    p = problem_of_six()
    given = (p.netlist, p.codes, p.bits, p.steps, p.boundary, p.fire)
    alone, shared = (b.batch.hard_rollout(*given) for b in (grapheme.get_backend("numba"), on_workers("numba")))
    assert_same_bits(shared, alone, "hard roll-out")
    assert len(workers().shards(p.bits.shape, 10 // least)) == (2 if least == 1 else 1)


@pytest.mark.parametrize("inner", INNER)
@pytest.mark.parametrize("least", [1, 10**8], ids=["cut", "too small to cut"])
def test_errors_of_many_circuits_are_those_of_the_inner_backend(monkeypatch, inner, least):
    monkeypatch.setattr("grapheme_ray.batch.HARD_WORK", least)
    asked, team = [], on_workers(inner).batch._team
    monkeypatch.setattr(team, "exchange", lambda calls: asked.append(len(calls)) or Team.exchange(team, calls))
    circuits, trial, most = trial_problem(problem_of_six())
    assert len(circuits) > 1
    for limit in (most, np.zeros_like(most)):
        alone, shared = (
            b.batch.hard_errors(circuits, trial, limit) for b in (grapheme.get_backend(inner), on_workers(inner))
        )
        assert_same_bits(shared, alone, "errors")
    assert asked == [2 if least == 1 else 1] * 2


@pytest.mark.parametrize("inner", INNER)
def test_micro_batches_in_a_worker_change_nothing(inner):
    p, backend = problem_of_six(), grapheme.get_backend(inner)
    netlist, *rest = arguments(p)
    whole = tasks.loss_and_grad(backend, netlist, "exact", *rest)
    small = tasks.loss_and_grad(backend.with_parallelism(Parallelism(memory=1)), netlist, "exact", *rest)
    for one, other in zip(whole, small, strict=True):
        assert_same_bits(other, one, "micro-batches")


def test_more_circuits_than_a_worker_keeps_are_sent_again():
    problems = [grid_problem(seed, (2, 1, 2, 2), gates=6) for seed in range(KEPT + 3)]
    alone, shared = (b.cell.step for b in (grapheme.get_backend("numpy"), on_workers("numpy")))
    for p in problems + problems[::2] + problems:
        given = (p.netlist, p.coefficients, p.grids, p.boundary, None)
        assert_same_bits(shared(*given), alone(*given), "step")


def test_large_arrays_travel_as_files_that_are_gone_afterwards(tmp_path):
    large, small = np.arange(LARGE, dtype=np.float32).reshape(2, -1), np.ones(3)
    sent = packed((large, small), str(tmp_path))
    assert isinstance(sent[0], Parcel)
    assert len(list(tmp_path.iterdir())) == 1
    for before, after in zip((large, small), opened(sent), strict=True):
        assert_same_bits(after, before, "parcel")
    assert list(tmp_path.iterdir()) == []
    assert packed(large, None) is large


def random_graph(rng, nodes):
    edges = [(i, j) for i in range(nodes) for j in range(i) if rng.random() < 0.5]
    return Graph.from_edges(edges, n=nodes, labels=rng.choice(["a", "b"], nodes).tolist())


def random_graphs(count, nodes, seed):
    rng = np.random.default_rng(seed)
    return [random_graph(rng, nodes) for _ in range(count)]


@pytest.mark.parametrize("inner", INNER)
def test_edit_kernels_give_the_bits_of_the_inner_backend(inner):
    coded = encode(random_graphs(4, 4, 0), EditCosts())
    pairs = np.array([(i, j) for i in range(4) for j in range(i)], np.int32)
    problem = EditProblem(**{**vars(coded.problem), "pairs": pairs})
    one, many = grapheme.get_backend(inner), on_workers(inner)
    bounds = [backend.graph.edit_bounds(problem) for backend in (one, many)]
    for alone, shared in zip(*bounds, strict=True):
        assert_same_bits(shared, alone, "bounds")
    lower, upper, mapping = bounds[0]
    loose = upper + 3  # so that there is something to find
    every = np.arange(len(pairs), dtype=np.int32)
    search = EditSearch(loose, mapping, every, np.full_like(mapping, -2), np.zeros_like(lower))
    slices = 0
    while len(search.owner):
        found = [backend.graph.edit_search(problem, search, 1) for backend in (one, many)]
        for field in fields(EditSearch):
            assert_same_bits(getattr(found[1], field.name), getattr(found[0], field.name), field.name)
        search, slices = found[0], slices + 1
    assert slices > 1
    assert (search.upper <= upper).all()


def test_a_matrix_of_edit_distances_is_that_of_the_inner_backend():
    graphs = random_graphs(5, 6, 1)
    alone, shared = edit_distances(graphs, backend="numba"), edit_distances(graphs, backend=on_workers("numba"))
    assert_same_bits(shared.lower, alone.lower, "lower")
    assert_same_bits(shared.upper, alone.upper, "upper")
    assert shared.optimal.all()


def pid(backend, nothing):
    return os.getpid()


def die(backend, nothing, numbers=()):
    if not numbers or os.getpid() in numbers:
        os.kill(os.getpid(), signal.SIGKILL)
    return "alive"


def divide(backend, nothing):
    return 1 / 0


def refuse(backend, nothing):
    raise InvalidInputError("Give it less.")


def workers():
    return team(NUMBA, thread_count(None))


def test_a_worker_killed_in_the_middle_of_a_step_is_replaced(caplog):
    p, backend = problem_of_six(), on_workers("numba")
    expected = grapheme.get_backend("numba").batch.loss_and_grad(*arguments(p))
    before = workers().exchange([Call(pid, None, ())] * 2)
    assert len(set(before)) == 2
    os.kill(before[1], signal.SIGKILL)
    for actual, wanted in zip(backend.batch.loss_and_grad(*arguments(p)), expected, strict=True):
        assert_same_bits(actual, wanted, "after a death")
    assert "Worker 2 died; another takes its place" in caplog.text
    after = workers().exchange([Call(pid, None, ())] * 2)
    assert after[0] == before[0]
    assert after[1] != before[1]


def test_a_worker_that_dies_at_its_work_is_replaced_and_the_work_repeated():
    numbers = tuple(workers().exchange([Call(pid, None, ())] * 2))
    assert workers().exchange([Call(die, None, (numbers,))] * 2) == ["alive", "alive"]
    numbers = tuple(workers().exchange([Call(pid, None, ())] * 2))
    waiting = deque(enumerate([Call(die, None, (numbers,))] * 5))
    assert dict(workers().each(waiting)) == dict.fromkeys(range(5), "alive")


def test_work_that_kills_every_worker_is_an_error():
    with pytest.raises(BackendError, match=f"died {PATIENCE} times at the same piece of work"):
        workers().exchange([Call(die, None, ())])


def test_errors_of_a_worker_come_back_readable():
    with pytest.raises(BackendError, match=r"Worker 1: the backend 'numba' raised ZeroDivisionError: .*line \d+, on "):
        workers().exchange([Call(divide, None, ())])
    with pytest.raises(InvalidInputError, match=r"^Give it less\.$"):
        workers().exchange([Call(refuse, None, ())])


def test_a_group_that_it_has_not_says_who_has_it():
    with pytest.raises(KernelNotProvidedError, match=r"'ray' has no kernel cortex\.encode.*provide it: .*numba"):
        on_workers("numpy").cortex.encode(None, None, None)


def test_no_process_listens_beyond_this_machine():
    workers().exchange([Call(pid, None, ())])
    here = psutil.Process()
    everyone = [here, *here.children(recursive=True)]
    listening = {c.laddr.ip for p in everyone for c in p.net_connections("inet") if c.status == psutil.CONN_LISTEN}
    assert listening
    assert listening <= {"127.0.0.1", "::1", "::ffff:127.0.0.1"}
