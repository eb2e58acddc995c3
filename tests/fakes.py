"""Backends that test the tests: the oracle behind opaque arrays, behind read-only arrays, and wrong on purpose."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import array_api_strict as strict
import numpy as np
from grapheme_numpy import batch, cell, cortex, graph

from grapheme.backend import Backend
from grapheme.kernels import GROUPS, kernel_names
from grapheme.kernels.edits import EditSearch
from grapheme.testing.doors import arrays_in, through

DEVICE = strict.Device("device1")
ORACLE = {"cell": cell, "batch": batch, "graph": graph, "cortex": cortex}


def on_device(array):
    """An array that, as one on a GPU, refuses to be turned into numpy's."""
    return strict.asarray(np.ascontiguousarray(array), device=DEVICE)


def to_host(array):
    return np.asarray(array.to_device(strict.Device("CPU_DEVICE")))


def wrapped(wrap):
    """The oracle's kernels, each passed through ``wrap(name, kernel)``."""
    return {
        group: SimpleNamespace(
            **{name: wrap(f"{group}.{name}", getattr(module, name)) for name in kernel_names(GROUPS[group])}
        )
        for group, module in ORACLE.items()
    }


def through_host(name, kernel):
    return lambda *args: through(on_device, kernel(*through(to_host, args)))


def opaque():
    """The oracle on arrays that only the array API standard can touch."""
    return Backend("opaque", **wrapped(through_host), xp=strict, device="device1", asarray=on_device, to_numpy=to_host)


def read_only():
    """The oracle, returning arrays that cannot be written."""

    def freeze(array):
        array.setflags(write=False)
        return array

    def wrap(name, kernel):
        return lambda *args: through(freeze, kernel(*args))

    return Backend("read-only", **wrapped(wrap))


def spoiled(array):
    """The array with its last value off by a thousandth of the largest, by one or by a bit."""
    array = array.copy()
    last = array.reshape(-1)[-1:]
    if array.dtype.kind == "b":
        last ^= True
    else:
        last += array.dtype.type(0.001) * (1 + np.abs(array).max()) if array.dtype.kind == "f" and array.size else 1
    return array


def changed(out, change):
    """What a kernel returned with its last array changed; of a search that has ended, its costs."""
    if isinstance(out, EditSearch):
        return out if len(out.owner) else replace(out, upper=change(out.upper))
    if isinstance(out, list):
        return [*out[:-1], changed(out[-1], change)]
    if isinstance(out, tuple):
        return (*out[:-1], change(out[-1]))
    return None if out is None else change(out)


class Mistakes:
    """Ways of being wrong: each takes (kernel, args) and answers as a faulty kernel would."""

    calls = 0

    @staticmethod
    def value(kernel, args):
        return changed(kernel(*args), spoiled)

    @staticmethod
    def shape(kernel, args):
        return changed(kernel(*args), lambda array: array[..., :-1])

    @staticmethod
    def dtype(kernel, args):
        return changed(kernel(*args), lambda array: array.astype(np.float16))

    @staticmethod
    def raises(kernel, args):
        raise ZeroDivisionError("on purpose")

    @staticmethod
    def mutates(kernel, args):
        out = kernel(*args)
        last = [*arrays_in(args)][-1]
        last[...] = spoiled(last)
        return out

    @classmethod
    def unsteady(cls, kernel, args):
        cls.calls += 1
        return changed(kernel(*args), spoiled if cls.calls % 2 == 0 else np.copy)


def wrong(which, mistake):
    """A backend with one group, the oracle's but for a mistake in one kernel."""
    group, name = which.split(".")
    kernels = {other: getattr(ORACLE[group], other) for other in kernel_names(GROUPS[group])}
    kernel = kernels[name]
    kernels[name] = lambda *args: mistake(kernel, args)
    return Backend("wrong", **{group: SimpleNamespace(**kernels)})
