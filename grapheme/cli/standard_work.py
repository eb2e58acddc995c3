"""Standard work for comparing backends on one machine: small enough for the oracle, real enough to mean something."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from operator import attrgetter
from typing import Any

import numpy as np

from grapheme.backend import Backend
from grapheme.ca import DiffLogicCA
from grapheme.kernels import BatchKernels, CellKernels, kernel_name
from grapheme.kernels.gates import coefficients, softmax

STEPS = 4


@dataclass(frozen=True)
class Work:
    """One kernel call: its name for people, the kernel, and arguments of the host."""

    name: str
    of: Callable[..., Any]
    """The kernel, as the method of its Protocol."""
    arguments: tuple[Any, ...]

    @property
    def kernel(self) -> str:
        """What the kernel is called, "group.function"."""
        return kernel_name(self.of)

    def seconds(self, backend: Backend, budget: float) -> float | None:
        """Return the shortest of a few calls within about ``budget`` seconds, or None if the backend cannot do it."""
        if self.kernel.split(".")[0] not in backend.groups:
            return None
        placed = tuple(backend.asarray(a) if isinstance(a, np.ndarray) else a for a in self.arguments)
        call = attrgetter(self.kernel)(backend)
        _finished(call(*placed), backend)  # compiles
        return min(_times(lambda: _finished(call(*placed), backend), budget))


def standard_work() -> list[Work]:
    """Return the work: the published checkerboard's circuit on two grids of 16x16 cells, for a few steps."""
    rng = np.random.default_rng(0)
    model = DiffLogicCA.build(8, 16, [8, 4, 2], [256] * 10 + [128, 64, 32, 16, 8, 8], "zero", seed=0)
    gates = coefficients(softmax(model.to_host(), np), np)
    grids = rng.random((2, 8, 16, 16), dtype=np.float32)
    states = rng.random((STEPS + 1, *grids.shape), dtype=np.float32)
    codes = rng.integers(0, 16, model.netlist.parameters).astype(np.uint8)
    soft = (model.netlist, gates)
    return [
        Work("soft step", CellKernels.step, (*soft, grids, "zero", None)),
        Work("its gradient", CellKernels.step_grad, (*soft, grids, grids, "zero", None)),
        Work("soft roll-out", BatchKernels.rollout, (*soft, grids, STEPS, "zero", None)),
        Work("its gradient", BatchKernels.rollout_grad, (*soft, states, states[-1:], "zero", None)),
        Work("hard roll-out", BatchKernels.hard_rollout, (model.netlist, codes, grids > 0.5, STEPS, "zero", None)),
    ]


def _finished(result: Any, backend: Backend) -> None:
    """Wait for a result by fetching it: a device may still be at work when the call returns."""
    for part in result if isinstance(result, tuple) else (result,):
        backend.to_numpy(part)


def _times(call: Callable[[], None], budget: float) -> Iterator[float]:
    end = now = time.perf_counter()
    end += budget
    while True:
        call()
        begun, now = now, time.perf_counter()
        yield now - begun
        if now > end:
            return
