"""Bugs planted on purpose are found: the tests of the other files can fail."""

from __future__ import annotations

from operator import attrgetter

import numpy as np
import pytest
from grapheme_cupy.sources import FOLDER
from sanitized import run_sanitized

import grapheme
from grapheme.ca import DiffLogicCA
from grapheme.testing import all_cases

pytestmark = pytest.mark.usefixtures("stand_in")

SMALL = """
extern "C" __global__ void double_all(float* x, int size) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < size) x[i] *= 2;
}
extern "C" __global__ void sum(const float* x, float* out) {
  __shared__ float tree[64];
  tree[threadIdx.x] = x[threadIdx.x];
  __syncthreads();
  for (int half = 32; half > 0; half /= 2) {
    if (threadIdx.x < half) tree[threadIdx.x] += tree[threadIdx.x + half];
    __syncthreads();
  }
  if (threadIdx.x == 0) *out = tree[0];
}
extern "C" __global__ void sum_by_warp(const float* x, float* out) {
  extern __shared__ float part[];
  float value = x[threadIdx.x];
  for (int distance = 16; distance > 0; distance /= 2) value += __shfl_down_sync(0xffffffffu, value, distance);
  if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = value;
  __syncthreads();
  if (threadIdx.x == 0) *out = part[0] + part[1];
}
extern "C" __global__ void sum_without_barrier(const float* x, float* out) {
  __shared__ float half[32];
  if (threadIdx.x >= 32) half[threadIdx.x - 32] = x[threadIdx.x];
  float value = threadIdx.x < 32 ? x[threadIdx.x] + half[threadIdx.x] : 0;
  atomicAdd(out, value);
}
extern "C" __global__ void never_written(float* out) {
  __shared__ float nothing[64];
  out[threadIdx.x] = nothing[threadIdx.x];
}
extern "C" __global__ void some_skip_the_barrier() {
  if (threadIdx.x < 40) __syncthreads();
}
extern "C" __global__ void two_barriers() {
  if (threadIdx.x < 40) __syncthreads();
  else
    __syncthreads();
}
extern "C" __global__ void some_lanes_have_left(float* out) {
  if (threadIdx.x % 2) return;
  out[0] = __shfl_xor_sync(0xffffffffu, 1.0f, 2);
}
extern "C" __global__ void all_write_one(int* out) { out[0] = threadIdx.x; }
"""


@pytest.fixture
def small():
    import cupy

    module = cupy.RawModule(code=SMALL)
    return lambda name, *args, **kwargs: module.get_function(name)((1,), (64,), args, **kwargs)


@pytest.fixture
def numbers():
    import cupy

    return cupy.asarray(np.arange(64, dtype=np.float32)), cupy.zeros(1, np.float32)


@pytest.mark.parametrize("order", ["forward", "reversed", "shuffled"])
@pytest.mark.parametrize(("kernel", "shared"), [("sum", 0), ("sum_by_warp", 8)])
@pytest.mark.parametrize("mode", ["plain", "races"])
def test_what_is_right_passes(small, numbers, settings, order, kernel, shared, mode):
    settings(order=order, mode=mode)
    small(kernel, *numbers, shared_mem=shared)
    assert float(numbers[1][0]) == 63 * 64 / 2


def test_a_missing_barrier_is_a_race_in_shared_memory(small, numbers, settings):
    settings(mode="races")
    with pytest.raises(RuntimeError, match=r"race on element \d+ of shared memory.*\(.*:\d+ and .*:\d+\)"):
        small("sum_without_barrier", *numbers)


def test_a_missing_barrier_shows_in_some_order(small, numbers, settings):
    for order in ("forward", "reversed"):
        settings(order=order)
        small("sum_without_barrier", *numbers)
    assert float(numbers[1][0]) != 63 * 64


def test_a_common_place_is_a_race(small, settings):
    import cupy

    settings(mode="races")
    with pytest.raises(RuntimeError, match="race on element 0 of argument 0: block 0 thread 0 and block 0 thread 1"):
        small("all_write_one", cupy.zeros(1, np.int32))


@pytest.mark.parametrize(
    ("kernel", "message"),
    [
        ("some_skip_the_barrier", "deadlock: 40 threads wait at a barrier, 24 have left"),
        ("two_barriers", "different barriers"),
    ],
)
def test_a_barrier_that_not_all_meet(small, kernel, message):
    with pytest.raises(RuntimeError, match=message):
        small(kernel)


def test_a_lane_that_has_left(small, numbers):
    with pytest.raises(RuntimeError, match="waits for a lane that has left"):
        small("some_lanes_have_left", numbers[1])


def test_shared_memory_holds_garbage_at_first(small):
    import cupy

    out = cupy.zeros(64, np.float32)
    small("never_written", out)
    assert np.isnan(out.get()).all()


def test_arguments_of_the_wrong_size_or_kind(small, numbers):
    x, _ = numbers
    small("double_all", x, np.int32(3))
    assert x.get()[:4].tolist() == [0, 2, 4, 3]
    with pytest.raises(RuntimeError, match="argument 1 has the wrong size, 8 bytes"):
        small("double_all", x, np.int64(64))
    with pytest.raises(RuntimeError, match="takes 2 arguments; got 1"):
        small("double_all", x)
    for wrong in (None, 64, np.zeros(3)):
        with pytest.raises(TypeError, match="argument 1"):
            small("double_all", x, wrong)
    with pytest.raises(ValueError, match="not contiguous"):
        small("double_all", x[::2], np.int32(3))


def test_arrays_refuse_to_meet_numpy_unless_told_to(numbers):
    import cupy

    x, host = numbers[0], np.zeros(64, np.float32)
    for meet in (np.asarray, host.__add__, x.__add__, lambda x: cupy.add(x, host), lambda x: np.add(host, x)):
        with pytest.raises(TypeError):
            meet(host if meet == x.__add__ else x)
    assert isinstance(x.sum(), cupy.ndarray)
    assert np.isnan(cupy.empty(3, np.float32).get()).all()


PLANTED = {
    "a level of gates": ("circuit.cuh", "    }\n    __syncthreads();\n  }\n}", "batch.rollout"),
    "a level of gradients": ("soft.cu", "        }\n        __syncthreads();\n      }", "batch.rollout_grad"),
    "words of neighbours": ("hard.cu", "    __syncthreads();\n    evaluate(", "batch.hard_rollout"),
}
"""Barriers of the real sources: file, text, and a kernel that needs them."""


@pytest.fixture
def edited(monkeypatch):
    """Replaces text in the sources: edited(old, new)."""
    from grapheme_cupy import sources

    def forget():
        for cache in (sources._module, sources.kernel):
            cache.cache_clear()

    def edit(old, new):
        whole = sources.text
        monkeypatch.setattr(sources, "text", lambda name: whole(name).replace(old, new))
        forget()

    yield edit
    forget()


@pytest.mark.parametrize("barrier", PLANTED)
def test_a_barrier_taken_from_the_sources_is_missed(barrier, settings, edited):
    file, text, kernel = PLANTED[barrier]
    assert text in (FOLDER / file).read_text()
    edited(text, text.replace("__syncthreads();", ""))
    settings(mode="races")
    netlist = DiffLogicCA.build(1, 8, [8, 4, 2], [16, 8, 4, 2, 1], seed=1).netlist  # its levels keep all warps busy
    grids = np.zeros((4, 1, 30, 30), np.float32)
    coefficients = np.ones((netlist.parameters, 4), np.float32)
    arguments = {
        "batch.rollout": (coefficients, grids, 1),
        "batch.rollout_grad": (coefficients, np.stack([grids, grids]), grids[None] + 1),
        "batch.hard_rollout": (np.zeros(netlist.parameters, np.uint8), grids > 0, 1),
    }[kernel]
    backend = grapheme.get_backend("cupy")
    placed = [backend.asarray(a) if isinstance(a, np.ndarray) else a for a in arguments]
    with pytest.raises(RuntimeError, match="race on element"):
        attrgetter(kernel)(backend)(netlist, *placed, "periodic", None)


PLANTED_IN_GRAPHS = {
    "a level of a graph": ("dag.cu", "if (last - first > 1) __syncthreads();", "graph.dag_forward"),
    "a set of members": ("cliques.cu", "__syncwarp();  // all lanes have read the set", "graph.count_cliques"),
    "a path of an assignment": ("assignment.cuh", "  __syncwarp();\n  if (lane() == 0)\n", "graph.edit_bounds"),
    "a path of a search": ("subtree.cu", "  __syncwarp();\n  return found;", "graph.edit_search"),
    "a stage of a loss": ("structure.cu", "take_gaps(p);\n  __syncthreads();", "cortex.structural_loss"),
}


@pytest.mark.parametrize("barrier", PLANTED_IN_GRAPHS)
def test_a_barrier_taken_from_the_sources_on_graphs_is_missed(barrier, settings, edited):
    file, text, kernel = PLANTED_IN_GRAPHS[barrier]
    assert text in (FOLDER / file).read_text()
    edited(text, text.replace("__syncthreads();", ";").replace("__syncwarp();", ""))
    settings(mode="races")
    backend = grapheme.get_backend("cupy")
    problems = [case.check(backend).problem for case in all_cases() if case.kernel == kernel]
    assert any("race on element" in problem for problem in problems if problem)


def test_a_read_past_the_end_is_found():
    code = """
import grapheme
from grapheme.testing import all_cases
from grapheme_cupy import sources
whole = sources.text
sources.text = lambda name: whole(name).replace("c < shape.channels; c += warps()", "c <= shape.channels; c += warps()")
backend = grapheme.get_backend("cupy")
next(case for case in all_cases() if case.kernel == "cell.step").run(backend)
"""
    done = run_sanitized(code)
    assert done.returncode != 0
    assert "AddressSanitizer: heap-buffer-overflow" in done.stderr
    assert "soft_step" in done.stderr
