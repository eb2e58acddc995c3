"""One call of one kernel, run on any backend and held against the oracle."""

from __future__ import annotations

import functools
import time
from collections.abc import Callable
from dataclasses import dataclass
from operator import attrgetter
from typing import Any

import numpy as np

from grapheme.backend import Backend
from grapheme.backend.selection import get_backend
from grapheme.kernels import kernel_name
from grapheme.testing.compare import difference, discrepancy, same_bits
from grapheme.testing.doors import arrays_in, through

Named = dict[str, np.ndarray]


def named(*names: str) -> Callable[..., Named]:
    """Return a function that gives arrays their names."""
    return lambda *arrays: dict(zip(names, arrays, strict=True))


def once(kernel: Callable[..., Any], arguments: tuple[Any, ...]) -> Any:
    """Call a kernel one time."""
    return kernel(*arguments)


@dataclass(frozen=True, eq=False)
class Case:
    """A kernel, as the method of its Protocol, arguments of the host, and names for what it returns."""

    of: Callable[..., Any]
    name: str
    arguments: tuple[Any, ...]
    results: Callable[..., Named]
    """Takes what the kernel returned, as arrays of the host, one argument for each."""
    drive: Callable[[Callable[..., Any], tuple[Any, ...]], Any] = once
    """Calls the kernel; one whose work goes on over several calls is called until it is done."""

    @property
    def kernel(self) -> str:
        """What the kernel is called, "group.function"."""
        return kernel_name(self.of)

    @property
    def group(self) -> str:
        """The kernel's group."""
        return self.kernel.split(".")[0]

    def run(self, backend: Backend) -> Named:
        """Return the named results of ``backend``."""
        return self._call(backend, self._placed(backend))

    @functools.cached_property
    def expected(self) -> Named:
        """The named results of the oracle."""
        return self.run(get_backend("numpy"))

    def check(self, backend: Backend) -> Outcome:
        """Run the case and say what is wrong with it, if anything; a stranger's kernel may raise whatever it likes."""
        expected = self.expected
        placed = self._placed(backend)
        begun = time.perf_counter()
        try:
            actual = self._call(backend, placed)
            seconds = time.perf_counter() - begun
            problem = self._problem(actual, expected, backend, placed)
        except Exception as error:
            message = " ".join(str(error).split())
            return Outcome(self.kernel, self.name, f"raised {type(error).__name__}: {message}", float("nan"), 0.0)
        worst = max((difference(actual[name], expected[name]) for name in expected if name in actual), default=0.0)
        return Outcome(self.kernel, self.name, problem, worst, seconds)

    def _problem(self, actual: Named, expected: Named, backend: Backend, placed: tuple[Any, ...]) -> str | None:
        for name, value in expected.items():
            found = discrepancy(actual[name], value)
            if found:
                return f"{name}: {found}"
        for position, (after, before) in enumerate(zip(placed, self.arguments, strict=True)):
            arrays = zip(arrays_in(through(backend.to_numpy, after)), arrays_in(before), strict=True)
            if not all(same_bits(*pair) for pair in arrays):
                return f"changed its argument {position}"
        again = self.run(backend)
        changed = [name for name in expected if not same_bits(again[name], actual[name])]
        return f"{changed[0]}: other bits when called again" if changed else None

    def _placed(self, backend: Backend) -> tuple[Any, ...]:
        placed: tuple[Any, ...] = through(lambda array: backend.asarray(array.copy()), self.arguments)
        return placed

    def _call(self, backend: Backend, placed: tuple[Any, ...]) -> Named:
        returned = through(backend.to_numpy, self.drive(attrgetter(self.kernel)(backend), placed))
        return self.results(*(returned if isinstance(returned, tuple) else (returned,)))


@dataclass(frozen=True)
class Outcome:
    """How a case went: ``problem`` is None if all is well; ``difference`` is the largest one, relative to the scale."""

    kernel: str
    case: str
    problem: str | None
    difference: float
    seconds: float
